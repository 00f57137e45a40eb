#ifndef PUSHRIG_CXXHASH_SHIM_H
#define PUSHRIG_CXXHASH_SHIM_H

#include <xxhash.h>

#endif
