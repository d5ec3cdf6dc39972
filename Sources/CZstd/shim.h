// zstd for Swift.
#ifndef JOBSERVER_CZSTD_SHIM_H
#define JOBSERVER_CZSTD_SHIM_H
#include <zstd.h>
#include <zstd_errors.h>
#endif
