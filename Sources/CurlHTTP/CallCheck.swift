import HTTPMessage

/// Validates a call before a byte of it is sent. libcurl writes methods and fields to the wire verbatim, so a line
/// break in one would be a second request.
enum CallCheck {
    /// Checks method and fields.
    ///
    /// - Throws: `http.method` or `http.field`, both `not_sent`.
    static func checkHead(of call: HTTPCall) throws(HTTPCallFailure) {
        try checkMethod(call)
        for field in call.fields { try checkField(field.name, field.value) }
    }

    /// Checks a URL.
    ///
    /// - Returns: the target of the call.
    /// - Throws: `http.url`, `not_sent`.
    static func target(_ url: String) throws(HTTPCallFailure) -> CallTarget {
        do {
            return try CallTarget(url)
        } catch {
            throw refusal("http.url", error.detail, error.suggestion)
        }
    }

    static func isIdempotent(_ method: String) -> Bool {
        HTTPMethod(method)?.isIdempotent ?? false
    }

    /// Whether the client sets the field itself, because it frames the message or controls the connection.
    static func isOwnField(_ name: String) -> Bool {
        // Most names are decided here, by their length alone.
        switch name.utf8.count {
        case 2, 4, 6, 7, 10, 14, 16, 17: ownFields.contains(name.lowercased())
        default: false
        }
    }

    private static let ownFields: Set<String> = [
        "te", "host", "expect", "upgrade", "trailer", "connection", "keep-alive", "content-length",
        "http2-settings",
        "proxy-connection", "transfer-encoding",
    ]

    private static func checkMethod(_ call: HTTPCall) throws(HTTPCallFailure) {
        switch (call.method, call.hasContent) {
        case ("GET", _), ("POST", _), ("HEAD", false):
            return
        case ("HEAD", _), ("TRACE", true):
            throw refusal(
                "http.method", "A \(call.method) request cannot have content.",
                "Leave the content out, or use another method.")
        case ("CONNECT", _):
            throw refusal("http.method", "The method CONNECT opens tunnels and cannot be called.", nil)
        default:
            guard HTTPMethod(call.method) != nil, call.method.utf8.count <= 32 else {
                throw refusal(
                    "http.method", "The method \(excerpt(call.method)) is not a valid token.",
                    "Use a method such as GET or POST, in upper case.")
            }
        }
    }

    private static func checkField(_ name: String, _ value: String) throws(HTTPCallFailure) {
        guard isToken(name) else {
            throw refusal(
                "http.field", "The header name \(excerpt(name)) is not a valid token.",
                "Use letters, digits and hyphens.")
        }
        guard isFieldValue(value) else {
            throw refusal(
                "http.field", "The value of the header \(name) contains a control character.",
                "Remove line breaks and other control characters from the value.")
        }
        guard !isOwnField(name) else {
            throw refusal(
                "http.field", "The header \(name) is set by the client and cannot be given.",
                "Leave \(name) out.")
        }
    }

    private static func refusal(_ code: String, _ detail: String, _ suggestion: String?) -> HTTPCallFailure {
        HTTPCallFailure(code: code, detail: detail, suggestion: suggestion, phase: .send, delivery: .notSent)
    }

    /// At most 80 printable characters of untrusted text.
    static func excerpt(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(80) {
            shown += scalar.value < 0x20 || scalar.value == 0x7f ? "?" : String(scalar)
        }
        return "\"\(shown)\(text.unicodeScalars.count > 80 ? "…" : "")\""
    }

    /// Whether the text is a token (RFC 9110 §5.6.2).
    private static func isToken(_ text: String) -> Bool {
        !text.utf8.isEmpty
            && text.utf8.allSatisfy { byte in
                let mask: UInt64 = byte < 64 ? 0x03ff_6cfa_0000_0000 : 0x57ff_ffff_c7ff_fffe
                return byte < 128 && (mask >> UInt64(byte & 63)) & 1 == 1
            }
    }

    /// Whether the text is a field value without control characters other than tab (RFC 9110 §5.5).
    private static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 ? $0 != 0x7f : $0 == 0x09 }
    }
}
