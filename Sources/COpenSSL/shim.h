// OpenSSL for Swift.
#ifndef JOBSERVER_COPENSSL_SHIM_H
#define JOBSERVER_COPENSSL_SHIM_H
#include <sys/types.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#endif
