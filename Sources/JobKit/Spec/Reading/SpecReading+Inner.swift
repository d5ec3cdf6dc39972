internal import StrictJSON

/// Operations that run another one inside of themselves.
extension SpecReading {
    mutating func gate(_ object: JSONObject, _ draft: OperationDraft) -> GateSpec? {
        if object["when"] == nil {
            missing(
                "when", "A gate says when it is open.",
                suggestion: #""when": {"$get": "a", "at": "/body/ready", "equals": true}"#)
        }
        return inner(object, "A gate says what it lets run.").map(GateSpec.init(operation:))
    }

    mutating func repetition(_ object: JSONObject) -> RepeatSpec? {
        let until = object["until"].map { value in
            inside("until") { $0.predicate(value, on: .result) }
        }
        let times = object["times"].map { value in
            inside("times") { $0.int(value, in: 1...RepeatSpec.timesMax) }
        }
        if until == nil && times == nil {
            missing(
                "times", "A repeat says how often (\"times\") or until when (\"until\").",
                suggestion: #""times": 3"#)
        }
        let wait = pause(object)
        let stops = object["stop_on_failure"].flatMap { value in
            inside("stop_on_failure") { $0.bool(value) }
        }
        guard let operation = inner(object, "A repeat says what is run.") else { return nil }
        var rule = RepeatSpec(operation: operation, times: (times ?? nil) ?? RepeatSpec.timesMax)
        rule.until = until ?? nil
        rule.wait = wait
        rule.stopsOnFailure = stops ?? false
        if rule.until == nil, !rule.stopsOnFailure {
            let (count, overflow) = rule.times.multipliedReportingOverflow(by: operation.writtenCount)
            checkCount(overflow ? .max : count, of: operation)
        }
        return rule
    }

    /// How long to wait between two rounds: `every`, or `backoff`.
    mutating func pause(_ object: JSONObject) -> RetrySpec.Backoff? {
        if object["every"] != nil && object["backoff"] != nil {
            note(member: "backoff", .conflict, "Say \"every\" or \"backoff\", not both. Leave one out.")
        }
        if let value = object["backoff"] { return inside("backoff") { $0.backoff(value) } }
        return object["every"].flatMap { value in
            inside("every") { reading in
                reading.duration(value, atLeast: .zero, atMost: reading.limits.waitMax)
            }
        }.map(RetrySpec.Backoff.fixed)
    }

    /// The one operation inside.
    mutating func inner(_ object: JSONObject, _ detail: String) -> OperationSpec? {
        guard let value = object["operation"] else {
            missing(
                "operation", detail,
                suggestion: #""operation": {"type": "network", "request": "https://example.com/"}"#)
            return nil
        }
        return inside("operation") { reading in
            guard case .object(let inner) = value else {
                reading.wrongType(value, "an operation, which is an object")
                return nil
            }
            guard reading.groupDepth < reading.limits.groupDepthMax else {
                reading.note(
                    .tooDeep,
                    "Operations are nested more than \(reading.limits.groupDepthMax) deep.")
                return nil
            }
            if inner["after"] != nil {
                reading.note(
                    member: "after", .notAvailable,
                    "\"after\" names siblings, and this operation has none. Say it in the one around.")
            }
            reading.groupDepth += 1
            defer { reading.groupDepth -= 1 }
            return reading.operation(inner, at: .inner)
        }
    }
}
