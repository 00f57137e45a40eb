#ifndef PUSHRIG_CNGHTTP2_SHIM_H
#define PUSHRIG_CNGHTTP2_SHIM_H

#include <nghttp2/nghttp2.h>

#endif
