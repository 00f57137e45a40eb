#ifndef PUSHRIG_CSQLITE_SHIM_H
#define PUSHRIG_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
