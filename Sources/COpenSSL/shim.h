// OpenSSL for Swift: its headers, and as functions what the headers have as macros or take callbacks for.
#ifndef JOBSERVER_COPENSSL_SHIM_H
#define JOBSERVER_COPENSSL_SHIM_H
#include <sys/types.h>
#include <time.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

// SHA-256, asked for once: EVP_sha256() would make OpenSSL look the algorithm up among its providers for each digest
// (crypto(7), "implicit fetching"). Never freed. Of two threads that ask first at the same time, one gives its own back.
static inline const EVP_MD *copenssl_sha256(void) {
  static EVP_MD *known;
  EVP_MD *found = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
  if (found) return found;
  EVP_MD *fetched = EVP_MD_fetch(NULL, "SHA256", NULL);
  if (!fetched) return NULL;
  if (__atomic_compare_exchange_n(&known, &found, fetched, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return fetched;
  EVP_MD_free(fetched);
  return found;
}

// ALPN (RFC 7301): http/1.1 is what is spoken here. A client that offers only other protocols is refused, as
// RFC 7301 section 3.2 asks for; one that offers nothing gets HTTP/1.1.
static inline int copenssl_choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_length,
                                           const unsigned char *in, unsigned int in_length, void *context) {
  static const unsigned char ours[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  (void)ssl;
  (void)context;
  if (SSL_select_next_proto((unsigned char **)out, out_length, ours, sizeof ours, in, in_length) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  return SSL_TLSEXT_ERR_OK;
}

// The rules of a server: TLS 1.2 and 1.3, forward secrecy and authenticated ciphers only, no renegotiation, a client
// that goes without a close_notify is a client that went.
static inline void copenssl_prepare_server(SSL_CTX *context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_session_id_context(context, (const unsigned char *)"jobserver", 9);
  SSL_CTX_set_alpn_select_cb(context, copenssl_choose_protocol, NULL);
}

// When the certificate that the upstream showed expires, in seconds since 1970; 0 when it showed none.
static inline long long copenssl_peer_certificate_end(const SSL *ssl) {
  X509 *certificate = SSL_get0_peer_certificate(ssl);
  struct tm end;
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1) return 0;
  return (long long)timegm(&end);
}

// Whether HTTP/2 was agreed on (ALPN).
static inline int copenssl_chose_http2(const SSL *ssl) {
  const unsigned char *name = NULL;
  unsigned int length = 0;
  SSL_get0_alpn_selected(ssl, &name, &length);
  return length == 2 && name[0] == 'h' && name[1] == '2';
}
#endif
