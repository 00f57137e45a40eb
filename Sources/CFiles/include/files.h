#ifndef files_h
#define files_h

#include <stddef.h>

struct compiled_file {
    const unsigned char *bytes;
    size_t count;
};

/// The file of that name in files.c; no bytes where there is none.
struct compiled_file compiled_file(const char *name);

#endif
