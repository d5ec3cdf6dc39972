/// The time after which an answer asks to be called again: `Retry-After` (RFC 9110 §10.2.3), the `RateLimit` field
/// (draft-ietf-httpapi-ratelimit-headers, since revision 8), the older pairs `RateLimit-Remaining` with
/// `RateLimit-Reset` and `X-RateLimit-Remaining` with `X-RateLimit-Reset`, and the fields of language models:
/// `retry-after-ms`, and pairs for requests and for tokens.
package enum RetryRequest {
    /// A quota: the field with what is left of it, and the field with its renewal.
    private struct Quota {
        let remaining: String
        let reset: String
    }

    /// The quotas of each convention; the first convention with an exhausted one decides.
    private static let conventions: [[Quota]] =
        ["ratelimit", "x-ratelimit"].map { [Quota(remaining: "\($0)-remaining", reset: "\($0)-reset")] } + [
            ["requests", "tokens"].map {
                Quota(remaining: "x-ratelimit-remaining-\($0)", reset: "x-ratelimit-reset-\($0)")
            },
            ["requests", "tokens", "input-tokens", "output-tokens"].map {
                Quota(
                    remaining: "anthropic-ratelimit-\($0)-remaining",
                    reset: "anthropic-ratelimit-\($0)-reset")
            },
        ]

    /// The lower-case names of all fields that count.
    package static let fields: Set<String> = Set(
        ["retry-after-ms", "retry-after", "ratelimit"]
            + conventions.joined().flatMap { [$0.remaining, $0.reset] })

    /// The longest wait that is believed; a longer one is a mistake, such as a timestamp in place of a number of
    /// seconds, and is ignored. The longest quota periods in use are a month.
    package static let delayMax = Duration.seconds(31 * 86_400)

    /// The wait from `now`; nil when the answer asks for none. `retry-after-ms` takes precedence over `Retry-After`,
    /// and that over the others.
    /// - Parameters:
    ///   - time: reads an RFC 3339 time, as milliseconds since 1970.
    ///   - field: returns the value of a field by its lower-case name; several lines joined by commas.
    package static func delay(
        from now: HTTPDate, time: (String) -> Int64?, field: (String) -> String?
    ) -> Duration? {
        if let delay = field("retry-after-ms").flatMap(number).map({ Duration.milliseconds($0) }),
            delay <= delayMax
        {
            return delay
        }
        if let delay = field("retry-after").flatMap({ RetryAfter($0, now: now)?.delay(from: now) }),
            delay <= delayMax
        {
            return delay
        }
        if let text = field("ratelimit"), let seconds = exhausted(text), .seconds(seconds) <= delayMax {
            return .seconds(seconds)
        }
        for quotas in conventions {
            let delays = quotas.compactMap { quota -> Duration? in
                guard field(quota.remaining).flatMap(number) == 0, let text = field(quota.reset) else {
                    return nil
                }
                return delay(until: text, from: now, time: time).flatMap { $0 <= delayMax ? $0 : nil }
            }
            if let longest = delays.max() { return longest }
        }
        return nil
    }

    /// The wait for a reset: a number, a duration such as `6m0s`, or an RFC 3339 time.
    private static func delay(
        until reset: String, from now: HTTPDate, time: (String) -> Int64?
    ) -> Duration? {
        if let number = number(reset) { return .seconds(seconds(until: number, from: now)) }
        if let duration = UnitDuration.read(reset) { return duration }
        return time(reset).map { .milliseconds(max(0, $0 - now.secondsSince1970 * 1_000)) }
    }

    /// The longest reset among the exhausted policies of a `RateLimit` field: `"burst";r=0;t=30`.
    private static func exhausted(_ text: String) -> Int64? {
        var reader = FieldValueReader(text)
        var longest: Int64?
        while true {
            reader.skipToElement()
            if reader.isAtEnd { return longest }
            guard reader.takeTokenOrQuoted() != nil, let policy = parameters(&reader) else {
                reader.skipElement()
                continue
            }
            if policy.remaining == 0, let reset = policy.reset { longest = max(longest ?? 0, reset) }
        }
    }

    /// The parameters `r` and `t` of one policy; nil when they are malformed.
    private static func parameters(
        _ reader: inout FieldValueReader
    ) -> (remaining: Int64?, reset: Int64?)? {
        var found: (remaining: Int64?, reset: Int64?) = (nil, nil)
        reader.skipBlanks()
        while reader.take(0x3B) {
            reader.skipBlanks()
            guard let name = reader.takeToken() else { return nil }
            if reader.take(0x3D) {
                // Parameters of other names may have a value of any type, as the partition key has.
                guard let value = reader.takeBareItem() else { return nil }
                if name == "r" { found.remaining = number(value) }
                if name == "t" { found.reset = number(value) }
            }
            reader.skipBlanks()
        }
        return reader.isAtEnd || reader.peek == 0x2C ? found : nil
    }

    /// A whole number of at most 15 digits, zero or more; a fraction is rounded up.
    private static func number(_ text: String) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, (1...15).contains(whole.utf8.count), let value = Int64(whole),
            value >= 0, parts.allSatisfy({ $0.utf8.allSatisfy(\.isDigitByte) })
        else { return nil }
        return parts.count > 1 && parts[1].utf8.contains { $0 != 0x30 } ? value + 1 : value
    }

    /// A reset is a number of seconds; some servers send the time instead, in seconds or milliseconds since 1970.
    private static func seconds(until reset: Int64, from now: HTTPDate) -> Int64 {
        switch reset {
        case ..<1_000_000_000: reset
        case ..<100_000_000_000: max(0, reset - now.secondsSince1970)
        default: max(0, reset / 1_000 - now.secondsSince1970)
        }
    }
}

extension FieldValueReader {
    /// A bare item of structured fields (RFC 9651 §3.3): numbers, tokens and strings as text, other types as the empty
    /// text; nil when there is none.
    fileprivate mutating func takeBareItem() -> String? {
        switch peek {
        case 0x22: return takeQuoted()
        case 0x3A:  // bytes, :…:
            _ = take(0x3A)
            return skip(past: 0x3A)
        case 0x25:  // a display string, %"…", without escapes by a backslash
            _ = take(0x25)
            return take(0x22) ? skip(past: 0x22) : nil
        case 0x40, 0x3F:  // a date, @…, or a truth value, ?1
            _ = take(0x40) || take(0x3F)
            return takeToken() == nil ? nil : ""
        default:
            // Tokens may contain colons and slashes, which those of other fields may not.
            guard let text = takeToken() else { return nil }
            var isWhole = true
            while take(0x3A) || take(0x2F) {
                _ = takeToken()
                isWhole = false
            }
            return isWhole ? text : ""
        }
    }

    private mutating func skip(past mark: UInt8) -> String? {
        _ = takeUntil([mark])
        return take(mark) ? "" : nil
    }
}
