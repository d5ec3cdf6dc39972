internal import StrictJSON

/// What applies to the whole job.
extension SpecReading {
    static let rootMembers = [
        "queue", "priority", "run_at", "delay", "expires_after", "labels", "metadata", "retention",
        "defaults",
    ]

    /// The whole spec; nil when nothing can be made of it.
    mutating func job(_ value: JSONValue) -> JobSpec? {
        guard case .object(let object) = value else {
            note(
                .wrongType, "A job spec is an object, not \(value.kindName).",
                suggestion: #"{"type": "network", "request": "https://example.com/"}"#)
            return nil
        }
        if let defaults = object["defaults"] { inside("defaults") { $0.readDefaults(defaults) } }
        guard let operation = operation(object, position: nil) else {
            // Without a type the members of the job are checked all the same.
            var unused = JobSpec(operation: OperationSpec(kind: .value(.literal(.null)), name: "job"))
            for member in object.members {
                inside(member.name) { _ = $0.rootMember(member.name, member.value, of: &unused) }
            }
            return nil
        }
        var spec = JobSpec(operation: operation)
        for member in object.members where Self.rootMembers.contains(member.name) {
            inside(member.name) { _ = $0.rootMember(member.name, member.value, of: &spec) }
        }
        if object["run_at"] != nil, object["delay"] != nil {
            note(member: "delay", .conflict, "A job has \"run_at\" or \"delay\", not both. Leave one out.")
        }
        noteUnknownReferences()
        return spec
    }

    private mutating func rootMember(_ name: String, _ value: JSONValue, of spec: inout JobSpec) -> Bool {
        switch name {
        case "queue": if let name = self.name(value) { spec.queue = name }
        case "priority": if let number = int(value, in: 0...9) { spec.priority = number }
        case "run_at": spec.start = nearTime(value).map(JobSpec.Start.at)
        case "delay":
            spec.start = duration(value, atLeast: .zero, atMost: limits.waitMax).map(JobSpec.Start.after)
        case "expires_after": spec.expiresAfter = interval(value, atMost: limits.waitMax)
        case "labels": spec.labels = labels(value)
        case "metadata": spec.metadata = metadata(value)
        case "retention": spec.retention = retention(value)
        case "defaults": break
        default: return false
        }
        return true
    }

    private mutating func labels(_ value: JSONValue) -> [JobSpec.Label] {
        guard case .object(let object) = value else {
            wrongType(value, "an object of strings", suggestion: #"{"team": "finance"}"#)
            return []
        }
        if object.count > limits.labelsMax {
            note(.tooLarge, "There are \(object.count) labels; allowed are \(limits.labelsMax).")
        }
        var labels: [JobSpec.Label] = []
        for member in object.members {
            inside(member.name) { reading in
                let keyBytes = member.name.utf8.count
                if keyBytes == 0 || keyBytes > reading.limits.labelKeyBytesMax {
                    reading.note(
                        .outOfRange,
                        "A label's key has 1 to \(reading.limits.labelKeyBytesMax) bytes; this one has \(keyBytes)."
                    )
                }
                guard let text = reading.string(member.value, bytes: 0...reading.limits.labelValueBytesMax)
                else {
                    return
                }
                if (member.name.utf8 + Array(text.utf8)).contains(where: { $0 < 0x20 || $0 == 0x7F }) {
                    reading.note(.outOfRange, "A label has no control characters.")
                }
                labels.append(JobSpec.Label(key: member.name, value: text))
            }
        }
        return labels
    }

    private mutating func metadata(_ value: JSONValue) -> JSONObject? {
        guard case .object(let object) = value else {
            wrongType(value, "an object")
            return nil
        }
        let bytes = value.encoded().count
        if bytes > limits.metadataBytesMax {
            note(.tooLarge, "The metadata has \(bytes) bytes; allowed are \(limits.metadataBytesMax).")
        }
        return object
    }

    private mutating func retention(_ value: JSONValue) -> JobSpec.Retention {
        var retention = JobSpec.Retention()
        members(of: value, "retention", known: ["succeeded", "failed"]) { reading, name, value in
            let most = reading.limits.retentionMax
            switch name {
            case "succeeded": retention.succeeded = reading.duration(value, atLeast: .zero, atMost: most)
            case "failed": retention.failed = reading.duration(value, atLeast: .zero, atMost: most)
            default: return false
            }
            return true
        }
        return retention
    }

    private mutating func readDefaults(_ value: JSONValue) {
        var defaults = CallDefaults()
        members(of: value, "defaults", known: ["retry", "timeout", "timeouts"]) { reading, name, value in
            switch name {
            case "retry": defaults.retry = reading.retryMembers(value)
            case "timeout": defaults.timeout = reading.interval(value, atMost: reading.limits.waitMax)
            case "timeouts":
                let timeouts = reading.timeouts(value)
                defaults.connectTimeout = timeouts.connect
                defaults.firstByteTimeout = timeouts.firstByte
                defaults.attemptTimeout = timeouts.attempt
            default: return false
            }
            return true
        }
        self.defaults = defaults
    }
}
