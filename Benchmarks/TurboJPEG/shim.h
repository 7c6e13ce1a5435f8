// libjpeg-turbo by its TurboJPEG interface, whose calls report errors by value: Swift cannot leave a call by longjmp.
#pragma once
#include <turbojpeg.h>
