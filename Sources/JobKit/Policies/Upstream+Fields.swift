package import HTTPMessage
internal import StrictJSON

/// The fields of an answer that its error keeps.
extension AOperationError.Upstream {
    /// The most that is kept of the fields, in bytes of names and values as JSON: 16 KiB. A head may have 256 KiB.
    static let fieldBytesMax = 16 << 10
    /// The most fields that are kept.
    static let fieldsMax = 200

    private static let hidden: Set<String> = [
        "set-cookie", "set-cookie2", "authorization", "proxy-authorization", "authentication-info",
        "x-api-key",
        "proxy-authenticate",
    ]

    /// The fields that decide what happens next, or say it: they are kept first.
    private static let telling: Set<String> = RetryRequest.fields.union([
        "job-retry", "content-type", "location", "allow", "www-authenticate", "date", "server",
        "x-request-id", "content-length",
    ])

    /// The answer with the first of each name of these fields, without those that carry credentials, in their order.
    /// Of a longer head those that fit are kept, and the others counted.
    init(status: Int, fields: [(name: String, value: String)], bodyExcerpt: String?) {
        self.init(status: status, headers: JSONObject(), bodyExcerpt: bodyExcerpt)
        var members: [JSONObject.Member?] = Array(repeating: nil, count: fields.count)
        var (count, bytes) = (0, 0)
        let names = fields.map { $0.name.lowercased() }
        let areTelling = names.map { Self.telling.contains($0) }
        var seen: Set<[UInt8]> = []
        func look(atTelling isTelling: Bool) {
            for index in fields.indices where areTelling[index] == isTelling {
                let (name, field) = (names[index], fields[index])
                guard !Self.hidden.contains(name), seen.insert(Array(name.utf8)).inserted else { continue }
                let size = name.jsonByteCount + field.value.jsonByteCount
                guard count < Self.fieldsMax, size <= Self.fieldBytesMax - bytes else {
                    headersOmitted += 1
                    headerBytesOmitted += name.utf8.count + field.value.utf8.count
                    continue
                }
                count += 1
                bytes += size
                members[index] = JSONObject.Member(name: name, value: .string(field.value))
            }
        }
        look(atTelling: true)
        look(atTelling: false)
        headers = JSONObject(uniqueMembers: members.compactMap(\.self))
    }
}

/// The retry hints of an answer.
extension AOperationError.Upstream {
    /// The requested pause; nil without one.
    func retryAfter(from now: Timestamp) -> Duration? {
        RetryRequest.delay(from: now) { headers[$0]?.string }
    }

    /// Whether the answer forbids further attempts: the field `Job-Retry: never`, or a problem
    /// (RFC 9457) whose member `retryable` is false.
    var asksForNoRetry: Bool {
        if headers["job-retry"]?.string?.lowercased() == "never" { return true }
        guard let type = headers["content-type"]?.string, let text = bodyExcerpt,
            MediaType(type)?.essence == "application/problem+json",
            case .object(let problem)? = try? JSONParser.parse(Array(text.utf8))
        else { return false }
        return problem["retryable"] == .bool(false)
    }
}

extension RetryRequest {
    /// The wait from `now`; nil when the answer asks for none.
    /// - Parameter field: returns the value of a field by its lower-case name; several lines joined by commas.
    package static func delay(from now: Timestamp, field: (String) -> String?) -> Duration? {
        let date = HTTPDate(secondsSince1970: now.milliseconds / 1_000)
        return delay(from: date, time: { Timestamp($0)?.milliseconds }, field: field)
    }
}
