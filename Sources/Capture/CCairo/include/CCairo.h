// cairo: text in an image in memory.
#pragma once
#include <cairo/cairo.h>

// Loads cairo; 0 where it is not installed. Nothing else of it may be called before this has succeeded. Any thread may call.
int kine_load_cairo(void);
