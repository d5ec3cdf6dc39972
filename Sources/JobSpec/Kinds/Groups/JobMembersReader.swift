internal import JobKit
internal import StrictJSON

/// Reads a whole job: its operation, and what applies to the whole.
struct JobMembersReader {
    let scope: SpecScope

    init(_ scope: SpecScope) { self.scope = scope }

    /// A job whose operation is not read yet.
    private static let blank = JobSpec(
        operation: OperationSpec(ValueSpec(value: .literal(.null)), name: ""))

    static let members = [
        "queue", "queue_key", "priority", "labels", "metadata", "retention", "unique", "callbacks",
        "defaults",
    ]

    /// The whole spec; nil when it is invalid.
    func read(_ value: JSONValue, _ reading: inout SpecReading) -> JobSpec? {
        guard case .object(let object) = value else {
            let many = value.array == nil ? "" : " Several go to POST /v1/jobs:batch."
            reading.note(
                .wrongType, "A job spec is an object, not \(value.kindName).\(many)",
                suggestion: #"{"type": "network", "request": "https://example.com/"}"#)
            return nil
        }
        var inside = scope
        if let defaults = object["defaults"] {
            inside.defaults = reading.inside("defaults") { self.defaults(defaults, &$0) }
        }
        var draft = OperationDraft()
        draft.job = Self.blank
        guard let operation = OperationReader(inside).read(object, at: .root, &draft, &reading) else {
            if draft.type.isEmpty {
                // Without a type the members of the job are checked nevertheless.
                for member in object.members where !reading.isCut && Self.members.contains(member.name) {
                    reading.inside(member.name) {
                        JobMembersReader(inside).member(member.name, member.value, of: &draft.job, &$0)
                    }
                }
            }
            return nil
        }
        guard var job = draft.job.take() else { return nil }
        job.operation = consume operation
        if let key = object["queue_key"] {
            job.queueKey = reading.inside("queue_key") { QueueKeyReader.key(key, labels: job.labels, &$0) }
        }
        ReferenceResolver.noteUnknown(&reading)
        return job
    }

    func member(_ name: String, _ value: JSONValue, of job: inout JobSpec?, _ reading: inout SpecReading) {
        switch name {
        case "queue":
            if let name = reading.name(value) { job?.queue = name }
            job?.sources[name] = .spec
        case "queue_key": break
        case "priority":
            if let number = priority(value, &reading) { job?.priority = number }
            job?.sources[name] = .spec
        case "labels": job?.labels = labels(value, &reading)
        case "metadata": job?.metadata = metadata(value, &reading)
        case "retention": job?.retention = retention(value, &reading)
        case "unique": job?.unique = unique(value, &reading)
        case "callbacks": job?.callbacks = CallbackReader(scope).callbacks(value, &reading)
        default: break
        }
    }

    private func priority(_ value: JSONValue, _ reading: inout SpecReading) -> Int? {
        guard let word = value.string else { return reading.int(value, in: 0...9) }
        let numbers = [
            "lowest": 0, "low": 2, "normal": 5, "medium": 5, "default": 5, "high": 8, "urgent": 9,
            "critical": 9,
            "highest": 9,
        ]
        let number = numbers[word.lowercased()] ?? Int(word).flatMap { (0...9).contains($0) ? $0 : nil }
        reading.wrongType(
            value, "a whole number from 0 to 9", suggestion: number.map(String.init),
            remedy: "9 is first, and 5 the default.")
        return nil
    }

    private func labels(_ value: JSONValue, _ reading: inout SpecReading) -> [JobSpec.Label] {
        guard case .object(let object) = value else {
            reading.wrongType(value, "an object of strings", suggestion: #"{"team": "finance"}"#)
            return []
        }
        if object.count > reading.limits.labelsMax {
            reading.note(
                .tooLarge, "There are \(object.count) labels; allowed are \(reading.limits.labelsMax).")
        }
        var labels: [JobSpec.Label] = []
        for member in object.members where !reading.isCut {
            reading.inside(member.name) { reading in
                let keyBytes = member.name.utf8.count
                if keyBytes == 0 || keyBytes > reading.limits.labelKeyBytesMax {
                    reading.note(
                        .outOfRange,
                        "A label's key has 1 to \(reading.limits.labelKeyBytesMax) bytes; this one has \(keyBytes)."
                    )
                }
                guard let text = label(member.value, &reading) else { return }
                if !FieldText.isValue(member.name) || !FieldText.isValue(text) {
                    reading.note(.outOfRange, "A label has no control characters.")
                }
                labels.append(JobSpec.Label(key: member.name, value: text))
            }
        }
        return labels
    }

    private func label(_ value: JSONValue, _ reading: inout SpecReading) -> String? {
        switch value {
        case .number(let number):
            reading.wrongType(value, "a text", suggestion: "\"\(String(quotable: number.text))\"")
        case .bool(let flag): reading.wrongType(value, "a text", suggestion: "\"\(flag)\"")
        default: return reading.string(value, bytes: 0...reading.limits.labelValueBytesMax)
        }
        return nil
    }

    private func metadata(_ value: JSONValue, _ reading: inout SpecReading) -> JSONObject? {
        guard case .object(let object) = value else {
            reading.wrongType(value, "an object")
            return nil
        }
        if reading.textBytes <= reading.limits.metadataBytesMax { return object }
        let bytes = value.encoded().count
        if bytes > reading.limits.metadataBytesMax {
            reading.note(
                .tooLarge, "The metadata has \(bytes) bytes; allowed are \(reading.limits.metadataBytesMax).")
        }
        return object
    }

    private func retention(_ value: JSONValue, _ reading: inout SpecReading) -> JobSpec.Retention {
        var retention = JobSpec.Retention()
        guard value.object != nil else {
            let time = value.number?.int.flatMap { $0 > 1 ? "\($0)s" : nil } ?? "7d"
            reading.wrongType(
                value, "an object", suggestion: "{\"succeeded\": \"\(time)\", \"failed\": \"\(time)\"}")
            return retention
        }
        reading.members(of: value, "retention", known: ["succeeded", "failed"]) { reading, name, value in
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
    private func unique(_ value: JSONValue, _ reading: inout SpecReading) -> JobSpec.Unique? {
        if case .string = value { return reading.key(value).map { JobSpec.Unique(key: $0) } }
        let example = #"{"key": "nightly-report", "on_conflict": "join"}"#
        guard case .object(let object) = value else {
            reading.wrongType(value, "a key or an object with one", suggestion: example)
            return nil
        }
        var unique = JobSpec.Unique(key: "")
        reading.members(of: value, "unique", known: ["key", "on_conflict"]) { reading, name, value in
            switch name {
            case "key": unique.key = reading.key(value) ?? ""
            case "on_conflict": unique.onConflict = reading.word(value) ?? .reject
            default: return false
            }
            return true
        }
        if object["key"] == nil { reading.missing("key", "Say which key it is.", suggestion: example) }
        return unique
    }

    private func defaults(_ value: JSONValue, _ reading: inout SpecReading) -> CallDefaults {
        var defaults = CallDefaults()
        reading.members(of: value, "defaults", known: ["connection", "retry", "timeouts"]) {
            reading, name, value in
            switch name {
            case "connection": defaults.connection = reading.name(value)
            case "retry": defaults.retry = RetryReader.members(value, &reading)
            case "timeouts":
                defaults.timeouts = TimeoutReader.timeouts(
                    value, of: "The job", clocks: TimeoutReader.callClocks + ["total"], &reading)
            default: return false
            }
            return true
        }
        return defaults
    }
}
