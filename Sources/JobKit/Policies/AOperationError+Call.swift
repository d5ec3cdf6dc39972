public import HTTPMessage
internal import StrictJSON

extension AOperationError {
    /// A call without a complete answer.
    public init(callFailure failure: HTTPCallFailure) {
        self.init(callFailure: failure, setBy: failure.property.map { "The property is \($0)." })
    }

    /// A call without a complete answer.
    /// - Parameter setting: a sentence about the place that sets the limit of the call which was reached.
    package init(callFailure failure: HTTPCallFailure, setBy setting: String?) {
        let suggestion = failure.suggestion.map { " \($0)" + (setting.map { " \($0)" } ?? "") } ?? ""
        self.init(ErrorCode(failure.code), detail: failure.detail + suggestion)
        phase = failure.phase.rawValue
        delivery = failure.delivery.rawValue
        retryable = failure.isTransient
        timing = failure.exchange.timing.isEmpty ? nil : failure.exchange.timing
        publishedError = PublishedError(
            domain: "curl", code: failure.nativeCode, description: failure.detail,
            recoverySuggestion: failure.suggestion)
        if let status = failure.status {
            upstream = Upstream(status: status, headers: JSONObject(), bodyExcerpt: nil)
        }
    }

    /// A call whose answer does not count as success.
    package init(_ code: ErrorCode, title: String, detail: String, answer: HTTPCallAnswer) {
        self.init(code, title: title, detail: detail)
        phase = "expect"
        delivery = HTTPCallDelivery.answered.rawValue
        // A retryable status stays so when the spec permits it and something else of the answer is unexpected.
        let isUnexpected = code == .httpStatus || code.family == "expect"
        retryable = isUnexpected && RetryDecision.isWorthwhile(status: answer.status)
        timing = answer.exchange.timing.isEmpty ? nil : answer.exchange.timing
        upstream = Upstream(status: answer.status, fields: answer.fields, bodyExcerpt: answer.excerpt)
        publishedError = PublishedError(domain: "http", code: answer.status, description: title)
    }
}

extension HTTPCallFailure {
    /// The property of an `HTTPCall` that sets the limit which was reached; nil for other failures.
    fileprivate var property: String? { Self.properties[code] }

    private static let properties = [
        "timeout.first_byte": "firstByteTimeout", "timeout.stall": "stallTimeout",
        "timeout.attempt": "attemptTimeout", "body.too_large": "answerBytesMax",
        "body.encoding": "route.compression",
    ]

    /// Whether another call may succeed.
    fileprivate var isTransient: Bool {
        Self.transientFamilies.contains(ErrorCode(code).family) || Self.transientCodes.contains(code)
    }

    private static let transientFamilies: Set<String> = ["connect", "timeout", "dns"]
    private static let transientCodes: Set<String> = [
        "http.protocol", "body.truncated", "tls.handshake", "proxy.refused", "proxy.unreachable",
        "proxy.not_found", "proxy.connect",
        "download.range", "storage.full", "storage.failed",
    ]
}

extension HTTPCallAnswer {
    /// The beginning of its text, at most 4 KiB and whole characters; nil when there is none or it is not text.
    fileprivate var excerpt: String? {
        guard !body.isEmpty, contentCoding == nil else { return nil }
        if let text = Self.beginning(body) { return text }
        guard body.count <= Self.convertedBytesMax,
            let text = try? OperationResult(answer: self).text(), !text.isEmpty
        else { return nil }
        return Self.beginning(Array(text.utf8))
    }

    /// Content in another charset than UTF-8 is converted up to this size.
    private static let convertedBytesMax = 64 << 10

    private static func beginning(_ text: [UInt8]) -> String? {
        var end = min(text.count, 4_096)
        while end > 0, end < text.count, text[end] & 0xC0 == 0x80 { end -= 1 }
        return String(validating: text[..<end], as: UTF8.self)
    }
}

extension OperationResult {
    /// The answer of a call.
    /// - Parameters:
    ///   - keepsCookies: whether the cookies that it sets stay in it.
    ///   - receivedAt: the date of cookies whose answer has none.
    package init(answer: HTTPCallAnswer, keepsCookies: Bool = false, receivedAt: Timestamp? = nil) {
        self.init(
            status: answer.status,
            headers: answer.fields.compactMap { field in
                let name = field.name.lowercased()
                return name == "set-cookie" && !keepsCookies ? nil : Header(name: name, value: field.value)
            },
            contentType: answer.field("content-type"), body: answer.body)
        contentCoding = answer.contentCoding
        if keepsCookies, let receivedAt { date(by: receivedAt) }
    }

    /// Adds the `Date` that an answer with cookies lacks, as a recipient that keeps it must (RFC 9110 §6.6.1): until
    /// when the cookies count is measured by it.
    private mutating func date(by receivedAt: Timestamp) {
        let isDate = { (header: Header) in header.name.hasSameBytes(as: "date") }
        guard headers.contains(where: { $0.name.hasSameBytes(as: "set-cookie") }),
            headers.first(where: isDate).flatMap({ HTTPDate($0.value) }) == nil
        else { return }
        headers.removeAll(where: isDate)
        let date = HTTPDate(secondsSince1970: receivedAt.milliseconds / 1_000)
        headers.append(Header(name: "date", value: date.description))
    }
}
