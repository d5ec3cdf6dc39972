internal import JobKit
internal import StrictJSON

/// The written members of `timeouts`.
struct TimeoutMembers: Equatable {
    /// Until the connection is established.
    var connect: Duration?
    /// From the last byte sent until the first byte received.
    var firstByte: Duration?
    /// Between two bytes of the answer.
    var stall: Duration?
    var attempt: Duration?
    /// From its execution to its end, all attempts included.
    var total: Duration?

    /// The clocks of a call: these, then those of `others`.
    func apply(to call: inout NetworkSpec, over others: TimeoutMembers) {
        if let value = connect ?? others.connect { call.connectTimeout = value }
        if let value = firstByte ?? others.firstByte { call.firstByteTimeout = value }
        if let value = stall ?? others.stall { call.stallTimeout = value }
        if let value = attempt ?? others.attempt { call.attemptTimeout = value }
    }

    /// Whether no timeout was written.
    var isEmpty: Bool { self == TimeoutMembers() }

    /// The names of the clocks that were written.
    var names: [String] {
        let all = [
            ("connect", connect), ("first_byte", firstByte), ("stall", stall),
            ("attempt", attempt), ("total", total),
        ]
        return all.filter { $0.1 != nil }.map(\.0)
    }
}

/// Reads the clocks of operations.
enum TimeoutReader {
    /// The clocks of one call's attempt.
    static let callClocks = ["connect", "first_byte", "stall", "attempt"]

    /// - Parameters:
    ///   - subject: the owner of the timeouts, with its article.
    ///   - clocks: the available timeouts.
    static func timeouts(
        _ value: JSONValue, of subject: String, clocks: [String], _ reading: inout SpecReading
    ) -> TimeoutMembers {
        var found = TimeoutMembers()
        if let text = value.string {
            reading.wrongType(
                value, "an object of clocks", suggestion: "{\"total\": \"\(String(quotable: text))\"}")
            return found
        }
        reading.members(of: value, "timeouts", known: clocks) { reading, name, value in
            guard clocks.contains(name) else { return foreignClock(name, value, of: subject, &reading) }
            let most =
                Self.callClocks.contains(name) ? reading.limits.attemptTimeoutMax : reading.limits.waitMax
            let length = reading.interval(value, atMost: most)
            switch name {
            case "connect": found.connect = length
            case "first_byte": found.firstByte = length
            case "stall": found.stall = length
            case "attempt": found.attempt = length
            default: found.total = length
            }
            return true
        }
        return found
    }

    /// A timeout of other kinds; false when none has this name.
    private static func foreignClock(
        _ name: String, _ value: JSONValue, of subject: String, _ reading: inout SpecReading
    ) -> Bool {
        if Self.callClocks.contains(name) {
            reading.note(
                .notAvailable,
                "\(subject) makes no call itself, so the timeout \"\(name)\" would have no effect.",
                suggestion: #"say it in the calls, or in "defaults" of the job"#)
            return true
        }
        guard name == "queue" else { return false }
        let length = value.string.map { String(quotable: $0) } ?? "10m"
        reading.note(
            .unknownMember,
            "\"start_by\" of a job or an operation says by when it must have started.",
            suggestion: "\"start_by\": \"\(length)\"")
        return true
    }
}
