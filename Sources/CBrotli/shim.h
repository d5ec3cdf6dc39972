// The decoder of brotli for Swift.
#ifndef JOBSERVER_CBROTLI_SHIM_H
#define JOBSERVER_CBROTLI_SHIM_H
#include <brotli/decode.h>
#endif
