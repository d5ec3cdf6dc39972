import CCurl
import COpenSSL

/// What TLS says about the connection of a transfer. The only place here that asks OpenSSL itself, because libcurl
/// tells neither the version nor, of a kept connection, the certificate.
struct PeerTLS {
    /// The version that is spoken: `TLSv1.3`.
    let version: String
    /// When the certificate of the upstream expires, in seconds since 1970; nil when it showed none.
    let certificateExpiresAt: Int?
    /// Whether HTTP/2 was agreed on.
    let speaksHTTP2: Bool

    /// Asks about the connection that the transfer of a libcurl handle uses; nil when it is not a TLS one.
    init?(_ easy: UnsafeMutableRawPointer) {
        guard let session = unsafe jobserver_easy_get_ssl(easy) else { return nil }
        let ssl = OpaquePointer(session)
        guard let name = unsafe SSL_get_version(ssl) else { return nil }
        version = unsafe String(cString: name)
        let end = unsafe copenssl_peer_certificate_end(ssl)
        certificateExpiresAt = end == 0 ? nil : Int(end)
        speaksHTTP2 = unsafe copenssl_chose_http2(ssl) != 0
    }
}
