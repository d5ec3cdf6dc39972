internal import JobKit
package import StrictJSON

/// Reads configurations of queues.
package enum QueueReader {
    /// The configuration that `value` is, or everything that is wrong with it.
    /// - Parameter isStored: whether it also says that the queue is paused, which is no part of a spec.
    package static func read(_ value: JSONValue, isStored: Bool = false) -> Result<QueueSpec, SpecProblems> {
        var reading = SpecReading(limits: .standard, now: Timestamp(milliseconds: 0))
        let spec = queue(value, isStored: isStored, &reading)
        if reading.problems.isEmpty { return .success(spec) }
        return .failure(SpecProblems(reading.problems, isCut: reading.isCut))
    }

    private static let members = [
        "concurrency", "rate", "per_key", "order", "max_waiting", "when_full", "defaults",
    ]
    private static let waitingMax = 100_000_000

    private static func queue(_ value: JSONValue, isStored: Bool, _ reading: inout SpecReading) -> QueueSpec {
        var spec = QueueSpec()
        guard case .object(let object) = value else {
            reading.wrongType(value, "an object", suggestion: #"{"concurrency": 5}"#)
            return spec
        }
        reading.members(of: object, "A queue", known: members) { reading, name, value in
            if LimitReader.member(name, value, of: &spec.total, &reading) { return true }
            switch name {
            case "per_key": spec.perKey = LimitReader.limits(value, "per_key", &reading)
            case "order": spec.order = reading.word(value) ?? .fair
            case "paused" where isStored: spec.isPaused = reading.bool(value) ?? false
            case "paused":
                reading.note(
                    .unknownMember,
                    "A queue is paused with :pause and goes on with :resume; PUT leaves it as it is.")
            case "max_waiting": spec.waitingMax = reading.int(value, in: 1...waitingMax)
            case "when_full": spec.whenFull = reading.word(value) ?? .reject
            case "defaults": spec.defaults = defaults(value, &reading)
            default: return false
            }
            return true
        }
        if object["when_full"] != nil, object["max_waiting"] == nil {
            reading.missing(
                "max_waiting", "Without it the queue is never full.", suggestion: #""max_waiting": 10000"#)
        }
        return spec
    }

    private static func defaults(_ value: JSONValue, _ reading: inout SpecReading) -> JSONObject {
        let known = ["priority", "retention", "retry", "timeouts"]
        var job: JobSpec? = JobSpec(operation: OperationSpec(ValueSpec(value: .literal(.null)), name: ""))
        let members = JobMembersReader(SpecScope(egress: nil))
        reading.members(of: value, "defaults", known: known) { reading, name, value in
            switch name {
            case "priority", "retention": members.member(name, value, of: &job, &reading)
            case "retry": _ = RetryReader.members(value, &reading)
            case "timeouts":
                _ = TimeoutReader.timeouts(
                    value, of: "A queue", clocks: TimeoutReader.callClocks + ["total"], &reading)
            default: return false
            }
            return true
        }
        return value.object ?? JSONObject()
    }
}
