// libyaml for Swift.
#ifndef JOBSERVER_CYAML_SHIM_H
#define JOBSERVER_CYAML_SHIM_H
#include <yaml.h>
#endif
