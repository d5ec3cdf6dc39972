internal import JobKit
internal import StrictJSON

/// The wait between two rounds: `every`, or `backoff`.
enum PauseMembers {
    static let every = OptionalMember<Duration>(
        "every", SpecForm { $0.duration($1, atLeast: .zero, atMost: $0.limits.waitMax) })
    static let backoff = OptionalMember<RetrySpec.Backoff>(
        "backoff", SpecForm { BackoffReader.backoff($1, &$0) })

    /// Nil when neither is there.
    static func read(
        _ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> RetrySpec.Backoff? {
        if object[every.name] == nil { return backoff.read(object, scope, &reading) }
        if object[backoff.name] == nil {
            return every.read(object, scope, &reading).map(RetrySpec.Backoff.fixed)
        }
        reading.note(
            member: "backoff", .conflict, "Say \"every\" or \"backoff\", not both. Leave one out.")
        return backoff.read(object, scope, &reading)
    }
}
