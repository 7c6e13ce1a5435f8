// The files of the studio's page, in the executable.
#pragma once
#include <stddef.h>

struct studio_page_file {
    /// Null after the last file.
    const char *name;
    /// UTF-8, with a zero after it.
    const char *text;
};

/// The file with this index, from 0 on.
struct studio_page_file studio_page_file(size_t index);
