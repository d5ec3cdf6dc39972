internal import StrictJSON

/// The conditions of an operation.
extension SpecReading {
    private static let conditionMembers: [String: [String]] = [
        "reachability": ["type", "url", "probe", "timeout"],
        "mutual_exclusion": ["type", "key"],
        "no_failed_dependencies": ["type", "ignore_cancelled"],
        "approval": approvalMembers,
        "authorized_for": ["type", "capability", "scope"],
        "negated": ["type", "condition"],
        "silent": ["type", "condition"],
    ]
    private static let conditionTypes = [
        "reachability", "mutual_exclusion", "no_failed_dependencies", "approval",
        "authorized_for", "negated", "silent",
    ]

    mutating func conditions(_ value: JSONValue) -> [ConditionSpec] {
        var conditions: [ConditionSpec] = []
        elements(of: value) { reading, element in
            if let condition = reading.condition(element) { conditions.append(condition) }
        }
        return conditions
    }

    private mutating func condition(_ value: JSONValue) -> ConditionSpec? {
        guard case .object(let object) = value else {
            wrongType(
                value, "an object", suggestion: value.string.map { "{\"type\": \"\(Self.quotable($0))\"}" })
            return nil
        }
        guard let type = conditionType(object) else { return nil }
        guard nesting < limits.nestingMax else {
            note(.tooDeep, "Conditions are nested more than \(limits.nestingMax) deep.")
            return nil
        }
        nesting += 1
        defer { nesting -= 1 }
        let known = Self.conditionMembers[type] ?? []
        members(of: object, "A \(type) condition", known: known) { _, name, _ in known.contains(name) }
        switch type {
        case "reachability": return reachability(object)
        case "authorized_for": return authorizedFor(object)
        case "approval": return approval(object).map(ConditionSpec.approval)
        case "mutual_exclusion":
            guard let value = object["key"] else {
                missing(
                    "key", "Operations with the same key exclude each other.",
                    suggestion: #""key": "printer""#)
                return nil
            }
            return inside("key") { $0.string(value, bytes: 1...255) }.map(ConditionSpec.mutualExclusion(key:))
        case "no_failed_dependencies":
            let ignores = object["ignore_cancelled"].flatMap { value in
                inside("ignore_cancelled") { $0.bool(value) }
            }
            return .noFailedDependencies(ignoreCancelled: ignores ?? false)
        default:
            guard let value = object["condition"] else {
                missing("condition", "A \(type) condition has another one inside.")
                return nil
            }
            let inner = inside("condition") { $0.condition(value) }
            return type == "negated" ? inner.map(ConditionSpec.negated) : inner.map(ConditionSpec.silent)
        }
    }

    private mutating func conditionType(_ object: JSONObject) -> String? {
        guard let value = object["type"] else {
            let list = Self.conditionTypes.joined(separator: ", ")
            missing("type", "Conditions are: \(list).")
            return nil
        }
        return inside("type") { reading in
            if case .string(let type) = value, Self.conditionMembers[type] != nil { return type }
            let list = Self.conditionTypes.joined(separator: ", ")
            guard let type = reading.string(value, "one of the conditions \(list)") else { return nil }
            reading.note(
                .unknownType, "There is no condition \"\(Self.quotable(type))\". Conditions are: \(list).",
                suggestion: SpellingSuggestion.nearest(to: type, in: Self.conditionTypes))
            return nil
        }
    }

    private mutating func reachability(_ object: JSONObject) -> ConditionSpec? {
        enum Probe: String, CaseIterable { case tcp, http }
        let probe =
            object["probe"].flatMap { value in inside("probe") { $0.word(value, Probe.self) } } ?? .tcp
        let timeout = object["timeout"].flatMap { value in
            inside("timeout") { $0.interval(value, atMost: .seconds(60)) }
        }
        guard let value = object["url"] else {
            missing("url", "Say which host must answer.", suggestion: #""url": "https://example.com/""#)
            return nil
        }
        guard let url = inside("url", { $0.literalURL(value) }) else { return nil }
        return .reachability(url: url, probe: probe.rawValue, timeout: timeout ?? .seconds(3))
    }
}
