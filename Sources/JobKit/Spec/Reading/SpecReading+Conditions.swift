internal import StrictJSON

/// The conditions of an operation.
extension SpecReading {
    private static let conditionMembers: [String: [String]] = [
        "reachability": ["type", "url", "probe", "timeout", "wait", "interval", "give_up_after"],
        "mutual_exclusion": ["type", "key"],
        "no_failed_dependencies": ["type", "ignore_cancelled"],
        "approval": approvalMembers,
        "authorized_for": ["type", "capability", "scope"],
        "no_cancelled_dependencies": ["type"],
        "expression": ["type", "that", "on_unsatisfied"],
        "time_window": ["type", "tz", "days", "from", "to", "except", "on_closed"],
        "all": ["type", "conditions"],
        "any": ["type", "conditions"],
        "ignored": ["type", "condition"],
        "negated": ["type", "condition"],
        "silent": ["type", "condition"],
    ]
    private static let conditionTypes = [
        "reachability", "mutual_exclusion", "no_failed_dependencies", "no_cancelled_dependencies",
        "approval", "authorized_for", "expression", "time_window", "all", "any", "ignored", "negated",
        "silent",
    ]

    mutating func conditions(_ value: JSONValue) -> [ConditionSpec] {
        var conditions: [ConditionSpec] = []
        elements(of: value) { reading, element in
            if let condition = reading.condition(element) { conditions.append(condition) }
        }
        return conditions
    }

    mutating func condition(_ value: JSONValue) -> ConditionSpec? {
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
        members(of: object, "\(Self.withArticle(type)) condition", known: known) { _, name, _ in
            known.contains(name)
        }
        switch type {
        case "reachability": return reachability(object)
        case "authorized_for": return authorizedFor(object)
        case "approval": return approval(object).map(ConditionSpec.approval)
        case "mutual_exclusion": return mutualExclusion(object)
        case "no_failed_dependencies":
            let ignores = object["ignore_cancelled"].flatMap { value in
                inside("ignore_cancelled") { $0.bool(value) }
            }
            return .noFailedDependencies(ignoreCancelled: ignores ?? false)
        case "no_cancelled_dependencies": return .noCancelledDependencies
        case "expression": return expression(object)
        case "time_window": return timeWindow(object)
        case "all": return several(object, type).map(ConditionSpec.all)
        case "any": return several(object, type).map(ConditionSpec.any)
        case "ignored": return inner(object, type).map(ConditionSpec.ignored)
        case "negated": return inner(object, type).map(ConditionSpec.negated)
        default: return inner(object, type).map(ConditionSpec.silent)
        }
    }

    private mutating func mutualExclusion(_ object: JSONObject) -> ConditionSpec? {
        guard let value = object["key"] else {
            missing(
                "key", "Operations with the same key exclude each other.",
                suggestion: #""key": "printer""#)
            return nil
        }
        return inside("key") { $0.string(value, bytes: 1...255) }.map(ConditionSpec.mutualExclusion(key:))
    }

    private mutating func inner(_ object: JSONObject, _ type: String) -> ConditionSpec? {
        guard let value = object["condition"] else {
            missing("condition", "A condition of type \(type) has another one inside.")
            return nil
        }
        return inside("condition") { $0.condition(value) }
    }

    private mutating func several(_ object: JSONObject, _ type: String) -> [ConditionSpec]? {
        guard let value = object["conditions"] else {
            missing("conditions", "A condition of type \(type) has a list of others inside.")
            return nil
        }
        return inside("conditions") { reading in
            if value.array?.isEmpty == true {
                reading.note(.outOfRange, "A condition of type \(type) has at least one inside.")
            }
            return reading.conditions(value)
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
                suggestion: OtherWords.meant(by: type, in: Self.conditionTypes))
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
        let patience = patience(object)
        guard let url = inside("url", { $0.literalURL(value) }) else { return nil }
        return .reachability(
            url: url, probe: probe.rawValue, timeout: timeout ?? .seconds(3), patience: patience)
    }
}
