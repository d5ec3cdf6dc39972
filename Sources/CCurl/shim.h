// libcurl for Swift. Swift cannot call C functions with variable arguments, so each kind of value that
// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt take has an inline function of its own here.
#ifndef JOBSERVER_CCURL_SHIM_H
#define JOBSERVER_CCURL_SHIM_H
#include <sys/types.h>
#include <sys/socket.h>
#include <netinet/in.h>
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// CURL_SOCKET_BAD and CURL_SOCKET_TIMEOUT are casts, which Swift does not import.
static const curl_socket_t jobserver_socket_bad = CURL_SOCKET_BAD;
static const curl_socket_t jobserver_socket_timeout = CURL_SOCKET_TIMEOUT;

static inline CURLcode jobserver_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode jobserver_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

// Strings, lists, client data and any other object pointer.
static inline CURLcode jobserver_easy_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

typedef size_t (*jobserver_data_function)(char *bytes, size_t size, size_t count, void *client);
typedef curl_socket_t (*jobserver_open_function)(
    void *client, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*jobserver_close_function)(void *client, curl_socket_t descriptor);
typedef int (*jobserver_prepare_function)(
    void *client, char *peer_address, char *local_address, int peer_port, int local_port);

typedef int (*jobserver_progress_function)(
    void *client, curl_off_t download_total, curl_off_t downloaded, curl_off_t upload_total,
    curl_off_t uploaded);

typedef int (*jobserver_seek_function)(void *client, curl_off_t offset, int origin);

static inline CURLcode jobserver_easy_set_seek_function(CURL *easy, jobserver_seek_function function) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
}

// The bytes are not copied; they must stay where they are as long as the handle lives.
static inline CURLcode jobserver_easy_set_blob(
    CURL *easy, CURLoption option, void *bytes, size_t count) {
    struct curl_blob blob = {bytes, count, CURL_BLOB_NOCOPY};
    return curl_easy_setopt(easy, option, &blob);
}

// The SSL object of the connection that a transfer uses; NULL when it has none or TLS is not OpenSSL's.
static inline void *jobserver_easy_get_ssl(CURL *easy) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
    return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

// CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION and CURLOPT_READFUNCTION.
static inline CURLcode jobserver_easy_set_data_function(
    CURL *easy, CURLoption option, jobserver_data_function function) {
    return curl_easy_setopt(easy, option, function);
}

static inline CURLcode jobserver_easy_set_open_function(CURL *easy, jobserver_open_function function) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}

static inline CURLcode jobserver_easy_set_close_function(CURL *easy, jobserver_close_function function) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, function);
}

static inline CURLcode jobserver_easy_set_prepare_function(
    CURL *easy, jobserver_prepare_function function) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

static inline CURLcode jobserver_easy_set_progress_function(
    CURL *easy, jobserver_progress_function function) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, function);
}

static inline CURLcode jobserver_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode jobserver_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode jobserver_easy_get_string(CURL *easy, CURLINFO info, char **value) {
    return curl_easy_getinfo(easy, info, value);
}

typedef int (*jobserver_socket_function)(
    CURL *easy, curl_socket_t descriptor, int interest, void *client, void *socket_client);
typedef int (*jobserver_timer_function)(CURLM *multi, long milliseconds, void *client);

static inline CURLMcode jobserver_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode jobserver_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode jobserver_multi_set_socket_function(
    CURLM *multi, jobserver_socket_function function) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
}

static inline CURLMcode jobserver_multi_set_timer_function(CURLM *multi, jobserver_timer_function function) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
}

// The version of the library that is loaded, such as 0x080500.
static inline unsigned int jobserver_version_number(void) {
    return curl_version_info(CURLVERSION_NOW)->version_num;
}

// The result in a message; Swift cannot read the union it lives in.
static inline CURLcode jobserver_message_result(const CURLMsg *message) {
    return message->data.result;
}
#endif
