// libcurl for Swift.
#ifndef JOBSERVER_CCURL_SHIM_H
#define JOBSERVER_CCURL_SHIM_H
#include <sys/types.h>
#include <curl/curl.h>
#endif
