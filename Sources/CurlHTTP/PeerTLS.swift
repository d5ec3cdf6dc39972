import CCurl
import COpenSSL

/// The facts about a transfer's TLS connection. The only place here that asks OpenSSL itself, because libcurl reports
/// neither the version nor, for a reused connection, the certificate.
struct PeerTLS {
    /// The negotiated version: `TLSv1.3`.
    let version: String
    /// The expiry of the upstream's certificate, in seconds since 1970; nil when it showed none.
    let certificateExpiresAt: Int?
    /// Whether HTTP/2 was negotiated.
    let speaksHTTP2: Bool

    /// Reads the facts about the connection of a transfer's handle; nil without TLS.
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
