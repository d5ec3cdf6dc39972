import HTTPMessage

/// What a call must look like before a byte of it is sent. libcurl writes methods and fields to the wire as they
/// are given, so a line break in one would be a second request.
enum CallCheck {
    /// Checks method, URL and fields.
    ///
    /// - Returns: where the call goes.
    /// - Throws: `http.method`, `http.url` or `http.field`, all `not_sent`.
    static func target(of call: HTTPCall) throws(HTTPCallFailure) -> CallTarget {
        try checkMethod(call)
        try checkFields(call.fields)
        do {
            return try CallTarget(call.url)
        } catch {
            throw refusal(
                "http.url", "The URL \(excerpt(call.url)) \(error.text).",
                "Give an absolute http or https URL, percent-encoded.")
        }
    }

    /// Fields that this client sets itself, because they frame the message or govern the connection. A call that
    /// brings one is refused with `http.field`.
    static let ownFields: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection",
        "upgrade",
        "expect", "te", "trailer", "http2-settings",
    ]

    /// Whether sending this method twice does the same as sending it once (RFC 9110 §9.2.2).
    static func isIdempotent(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
        default: false
        }
    }

    private static func checkMethod(_ call: HTTPCall) throws(HTTPCallFailure) {
        guard isToken(call.method), call.method.utf8.count <= 32 else {
            throw refusal(
                "http.method", "The method \(excerpt(call.method)) is not a valid token.",
                "Use a method such as GET or POST, in upper case.")
        }
        guard call.method != "CONNECT" else {
            throw refusal("http.method", "The method CONNECT opens tunnels and cannot be called.", nil)
        }
        if call.body != nil, call.method == "HEAD" || call.method == "TRACE" {
            throw refusal(
                "http.method", "A \(call.method) request cannot have content.",
                "Leave the content out, or use another method.")
        }
    }

    private static func checkFields(
        _ fields: [(name: String, value: String)]
    ) throws(HTTPCallFailure) {
        for field in fields {
            guard isToken(field.name) else {
                throw refusal(
                    "http.field", "The header name \(excerpt(field.name)) is not a valid token.",
                    "Use letters, digits and hyphens.")
            }
            guard isFieldValue(field.value) else {
                throw refusal(
                    "http.field", "The value of the header \(field.name) contains a control character.",
                    "Remove line breaks and other control characters from the value.")
            }
            guard !ownFields.contains(lowered(field.name)) else {
                throw refusal(
                    "http.field", "The header \(field.name) is set by the client and cannot be given.",
                    "Leave \(field.name) out.")
            }
        }
    }

    private static func lowered(_ name: String) -> String {
        name.utf8.contains { (0x41...0x5a).contains($0) } ? name.lowercased() : name
    }

    private static func refusal(_ code: String, _ detail: String, _ suggestion: String?) -> HTTPCallFailure {
        HTTPCallFailure(code: code, detail: detail, suggestion: suggestion, phase: .send, delivery: .notSent)
    }

    /// At most 80 characters of outside text, printable only.
    static func excerpt(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(80) {
            shown += scalar.value < 0x20 || scalar.value == 0x7f ? "?" : String(scalar)
        }
        return "\"\(shown)\(text.unicodeScalars.count > 80 ? "…" : "")\""
    }

    /// A token of RFC 9110 §5.6.2.
    static func isToken(_ text: String) -> Bool {
        !text.utf8.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e...0x60, 0x7c, 0x7e: true
        default: false
        }
    }

    /// A field value without control characters; a tab is allowed (RFC 9110 §5.5).
    private static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
    }
}
