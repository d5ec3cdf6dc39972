import HTTPMessage

/// The fields that block foreign content in the page.
enum PageHeaders {
    /// Scripts and styles are our own files, nothing is sent to or loaded from elsewhere, no site frames the page, and
    /// no text becomes markup (Trusted Types).
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'",
        "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    static let fields: HTTPFields = [
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    ]
}
