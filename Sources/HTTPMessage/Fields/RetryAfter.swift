/// The value of a Retry-After field (RFC 9110 §10.2.3).
package enum RetryAfter: Sendable, Hashable, CustomStringConvertible {
    /// This number of seconds after the answer arrived, at least 0.
    case seconds(Int)
    /// At this time.
    case date(HTTPDate)

    /// The maximum number of seconds, to which larger ones are clamped: about 31 years.
    static let secondsMax = 999_999_999

    /// Parses a number of seconds or an HTTP date; nil for anything else, including negative numbers.
    package init?(_ text: String, now: HTTPDate = HTTPDate(secondsSince1970: 1_767_225_600)) {
        let bytes = text.utf8
        if !bytes.isEmpty, bytes.allSatisfy(\.isDigitByte) {
            let digits = bytes.drop { $0 == 0x30 }
            let seconds = digits.count > 9 ? Self.secondsMax : digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            self = .seconds(seconds)
        } else if let date = HTTPDate(text, now: now) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// The wait from `now`; zero when the time has passed.
    package func delay(from now: HTTPDate) -> Duration {
        switch self {
        case .seconds(let seconds): .seconds(max(0, seconds))
        case .date(let date): .seconds(max(0, date.secondsSince1970 - now.secondsSince1970))
        }
    }

    /// The field value.
    package var description: String {
        switch self {
        case .seconds(let seconds): "\(seconds)"
        case .date(let date): date.description
        }
    }
}
