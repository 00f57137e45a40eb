#ifndef PUSHRIG_CYAML_SHIM_H
#define PUSHRIG_CYAML_SHIM_H

#include <yaml.h>

#endif
