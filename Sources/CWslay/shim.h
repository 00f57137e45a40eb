#ifndef PUSHRIG_CWSLAY_SHIM_H
#define PUSHRIG_CWSLAY_SHIM_H

#include <wslay/wslay.h>

#endif
