package import HTTPMessage

extension RetryRequest {
    /// The wait from `now`; nil when the answer asks for none.
    /// - Parameter field: returns the value of a field by its lower-case name; several lines joined by commas.
    package static func delay(from now: Timestamp, field: (String) -> String?) -> Duration? {
        let date = HTTPDate(secondsSince1970: now.milliseconds / 1_000)
        return delay(from: date, time: { Timestamp($0)?.milliseconds }, field: field)
    }
}
