/// The reason why the parser refused a request. The connection cannot be used any further.
package struct HTTPParseFailure: Error, Sendable, Hashable {
    /// A stable name for each kind of refusal.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The request line is not `method SP target SP version CRLF`.
        case requestLine = "request.line"
        /// The method is not a token, too long, or CONNECT.
        case method = "request.method"
        /// The target is malformed or does not fit the method.
        case target = "request.target"
        /// The target is too long.
        case targetTooLong = "request.target_too_long"
        /// The version is neither HTTP/1.0 nor HTTP/1.1.
        case version = "request.version"
        /// A line end is not exactly CRLF.
        case lineEnd = "request.line_end"
        /// A field line is malformed.
        case field = "request.field"
        /// Too many fields or too many bytes of them.
        case fieldsTooLarge = "request.fields_too_large"
        /// Host is missing, repeated or malformed.
        case host = "request.host"
        /// Content-Length and Transfer-Encoding do not define the end of the body unambiguously.
        case framing = "request.framing"
        /// A transfer coding other than `chunked`.
        case transferCoding = "request.transfer_coding"
        /// The chunking of the body is malformed.
        case chunk = "request.chunk"
        /// The body is larger than allowed.
        case bodyTooLarge = "request.body_too_large"
    }

    /// The status to answer with: 400, 413, 414, 431, 501 or 505.
    package let status: HTTPStatus
    /// The kind of refusal.
    package let code: Code
    /// One sentence for people: the problem and, if helpful, the correct form. Contains no bytes of the request.
    package let detail: String

    /// A refusal with 400.
    init(_ code: Code, _ detail: String) {
        self.init(.badRequest, code, detail)
    }

    init(_ status: HTTPStatus, _ code: Code, _ detail: String) {
        self.status = status
        self.code = code
        self.detail = detail
    }
}
