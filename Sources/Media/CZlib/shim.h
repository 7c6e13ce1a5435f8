// zlib: the compression in PNG images.
#pragma once
#include <zlib.h>
