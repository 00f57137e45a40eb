#ifndef PUSHRIG_CZLIB_SHIM_H
#define PUSHRIG_CZLIB_SHIM_H

#include <zlib.h>

#endif
