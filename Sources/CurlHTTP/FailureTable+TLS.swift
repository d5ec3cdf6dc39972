import CCurl
import HTTPMessage

/// Connections that TLS refuses.
extension FailureTable {
    /// The upstream's objection, from its TLS alert (RFC 8446 §6.2); nil when it sent none. The alert refuses the
    /// connection, not the request: with TLS 1.3 the request is already on its way, and is not read.
    static func alert(_ report: TransferReport) -> Entry? {
        let place = report.target.description
        guard report.status == nil, report.words.contains("alert") else { return nil }
        let concerns = [
            "certificate required", "bad certificate", "unknown ca", "certificate unknown",
            "certificate expired", "certificate revoked", "unsupported certificate", "access denied",
            "unknown_ca",
        ]
        guard let concern = concerns.first(where: report.words.contains) else {
            return Entry(
                "tls.handshake", "\(place) refused the TLS connection: \(words(report)).",
                "Check that the server speaks a TLS version and ciphers that are allowed here.", .tls,
                .notSent)
        }
        if concern == "certificate required" {
            return Entry(
                "tls.client_certificate_required", "\(place) wants a client certificate.",
                "Give a certificate and its key with the call's TLS settings.", .tls, .notSent)
        }
        return Entry(
            "tls.client_certificate_refused",
            "\(place) does not accept the client certificate: \(words(report)).",
            "Check which authority the server trusts, and until when the certificate is valid.", .tls,
            .notSent)
    }

    /// A certificate, key or authorities that cannot be used at all.
    static func unusable(_ code: CURLcode, _ report: TransferReport) -> Entry {
        if code == CURLE_SSL_CACERT_BADFILE {
            return Entry(
                "tls.authorities", "The certificate authorities cannot be read: \(words(report)).",
                "Give certificates in PEM form.", .tls)
        }
        return Entry(
            "tls.client_certificate", "The client certificate cannot be used: \(words(report)).",
            "Give certificate and key in PEM form; the key must belong to the certificate and not be encrypted.",
            .tls)
    }

    static func certificate(_ report: TransferReport) -> Entry {
        let host = report.target.host
        switch report.certificateVerdict {
        case 9, 10:
            let problem = report.certificateVerdict == 10 ? "has expired" : "is not valid yet"
            return Entry(
                "tls.certificate_expired", "The certificate of \(host) \(problem).",
                "Renew the certificate on the server, and check this machine's clock.", .tls
            )
        case 62, 64:
            return wrongName(host)
        case _ where report.words.contains("subject name"):
            // libcurl compares the names itself, before it asks OpenSSL for its verdict.
            return wrongName(host)
        default:
            return Entry(
                "tls.certificate_untrusted", "The certificate of \(host) is not trusted: \(words(report)).",
                "Have it signed by an authority that this machine trusts, or add the authority.",
                .tls
            )
        }
    }

    private static func wrongName(_ host: String) -> Entry {
        Entry(
            "tls.hostname_mismatch", "The certificate that was shown is not for \(host).",
            "Use a host name that the certificate covers.", .tls
        )
    }
}
