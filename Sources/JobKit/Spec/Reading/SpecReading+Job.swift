internal import StrictJSON

/// What applies to the whole job.
extension SpecReading {
    static let rootMembers = [
        "queue", "priority", "run_at", "delay", "expires_after", "labels", "metadata", "retention", "unique",
        "callbacks", "defaults",
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
        guard let operation = operation(object, at: .root) else {
            if !hasReadRoot {
                // Without a type the members of the job are checked all the same.
                for member in object.members where Self.rootMembers.contains(member.name) {
                    inside(member.name) { $0.rootMember(member.name, member.value) }
                }
            }
            return nil
        }
        root.operation = operation
        if root.start != nil, object["run_at"] != nil, object["delay"] != nil {
            note(member: "delay", .conflict, "A job has \"run_at\" or \"delay\", not both. Leave one out.")
        }
        if object["expires_after"] != nil, object["timeouts"]?.object?["queue"] != nil {
            note(
                member: "expires_after", .conflict,
                "\"expires_after\" and \"queue\" of \"timeouts\" are the same clock. Leave one out.")
        }
        noteUnknownReferences()
        return root
    }

    mutating func rootMember(_ name: String, _ value: JSONValue) {
        switch name {
        case "queue":
            if let name = self.name(value) { root.queue = name }
            root.sources[name] = .spec
        case "priority":
            if let number = int(value, in: 0...9) { root.priority = number }
            root.sources[name] = .spec
        case "run_at": root.start = nearTime(value).map(JobSpec.Start.at)
        case "delay":
            root.start = duration(value, atLeast: .zero, atMost: limits.waitMax).map(JobSpec.Start.after)
        case "expires_after": root.expiresAfter = interval(value, atMost: limits.waitMax)
        case "labels": root.labels = labels(value)
        case "metadata": root.metadata = metadata(value)
        case "retention": root.retention = retention(value)
        case "unique": root.unique = unique(value)
        case "callbacks": root.callbacks = callbacks(value)
        default: break
        }
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
                if !FieldText.isValue(member.name) || !FieldText.isValue(text) {
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
        if textBytes <= limits.metadataBytesMax { return object }
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

    /// A key, or an object with one.
    private mutating func unique(_ value: JSONValue) -> JobSpec.Unique? {
        if case .string = value { return uniqueKey(value).map { JobSpec.Unique(key: $0) } }
        let example = #"{"key": "nightly-report", "on_conflict": "join"}"#
        guard case .object(let object) = value else {
            wrongType(value, "a key or an object with one", suggestion: example)
            return nil
        }
        var unique = JobSpec.Unique(key: "")
        members(of: value, "unique", known: ["key", "on_conflict"]) { reading, name, value in
            switch name {
            case "key": unique.key = reading.uniqueKey(value) ?? ""
            case "on_conflict": unique.onConflict = reading.word(value) ?? .reject
            default: return false
            }
            return true
        }
        if object["key"] == nil { missing("key", "Say which key it is.", suggestion: example) }
        return unique
    }

    private mutating func uniqueKey(_ value: JSONValue) -> String? {
        guard let key = string(value, bytes: 1...255) else { return nil }
        if !FieldText.isValue(key) { note(.outOfRange, "A unique key has no control characters.") }
        return key
    }

    private mutating func readDefaults(_ value: JSONValue) {
        var defaults = CallDefaults()
        members(of: value, "defaults", known: ["connection", "retry", "timeouts"]) { reading, name, value in
            switch name {
            case "connection": defaults.connection = reading.connectionName(value)
            case "retry": defaults.retry = reading.retryMembers(value)
            case "timeouts":
                defaults.timeouts = reading.timeouts(
                    value, of: "The job", clocks: Self.callClocks + ["total"])
            default: return false
            }
            return true
        }
        self.defaults = defaults
    }
}
