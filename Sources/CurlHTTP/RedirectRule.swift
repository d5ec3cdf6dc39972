import HTTPMessage

/// The effect of a redirect on a call (RFC 9110 §15.4).
///
/// - 303 turns every method but `GET` and `HEAD` into `GET`; 301 and 302 do so for `POST` only, as every browser does;
///   307 and 308 keep method and content.
/// - Without content, the fields that describe content are dropped, too.
/// - For another scheme, host or port, fields with credentials, the client certificate and the ranges of the route are
///   dropped, unless the call says otherwise; content that is confidential as a whole cannot be dropped, and such a
///   redirect is not followed at all.
enum RedirectRule {
    /// Whether a response with this status is a redirect to another URL.
    static func applies(to status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Turns `call` into the one that follows a redirect with `status`.
    static func follow(_ call: inout HTTPCall, status: Int, to url: String, keepsCredentials: Bool) {
        call.url = url
        if becomesGet(call.method, status: status) {
            call.method = "GET"
            call.body = nil
            call.source = nil
            call.fields.removeAll { describesContent($0.name) }
        }
        guard !keepsCredentials else { return }
        let confidential = call.confidentialFields
        call.fields.removeAll { carriesCredentials($0.name) || confidential.contains($0.name.lowercased()) }
        guard call.route.clientCertificatePEM != nil || !call.route.egressAllow.isEmpty else { return }
        call.route.clientCertificatePEM = nil
        call.route.clientKeyPEM = nil
        call.route.egressAllow = []
    }

    /// Whether a redirect with `status` of a `method` request is followed with `GET`.
    static func becomesGet(_ method: String, status: Int) -> Bool {
        switch status {
        case 303: method != "GET" && method != "HEAD"
        case 301, 302: method == "POST"
        default: false
        }
    }

    /// Whether a field of this name may contain a secret meant for one host. Deliberately broad: a field withheld
    /// wrongly shows as a 401, one sent on wrongly shows in a stranger's log.
    static func carriesCredentials(_ name: String) -> Bool {
        let lower = name.lowercased()
        if lower == "idempotency-key" { return false }
        return credentialMarks.contains { lower.contains($0) }
    }

    private static func describesContent(_ name: String) -> Bool {
        let lower = name.lowercased()
        return lower.hasPrefix("content-") || lower == "digest" || lower == "repr-digest"
    }

    private static let credentialMarks = [
        "auth", "cookie", "token", "secret", "key", "password", "passwd", "credential", "session",
        "signature",
        "csrf", "xsrf", "jwt",
    ]
}
