internal import JobKit
internal import StrictJSON

/// The conditions that a spec can have.
enum ConditionKinds {
    /// Those selected by `type`.
    static let typed: [any ConditionKind.Type] = [
        ReachabilitySpec.self, LockSpec.self, ApprovalSpec.self, AuthorizationSpec.self, TimeWindowSpec.self,
    ]

    /// Those with a member of their name in place of `type`, as in predicates.
    static let combining: [any ConditionKind.Type] = [
        AllConditionsSpec.self, AnyConditionSpec.self, NotConditionSpec.self, WhenConditionSpec.self,
    ]

    static let all = typed + combining

    private static let table = KindTable(typed.map { ($0.name, $0.members, $0) })

    static var names: [String] { table.names }

    /// A list of conditions, without the invalid ones.
    static func readList(
        _ value: JSONValue, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> [ConditionSpec] {
        var conditions: [ConditionSpec] = []
        reading.elements(of: value) { reading, element in
            if let condition = read(element, scope, &reading) { conditions.append(condition) }
        }
        return conditions
    }

    /// A condition; nil when it is invalid, which has been reported then.
    static func read(
        _ value: JSONValue, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> ConditionSpec? {
        guard case .object(let object) = value else {
            reading.wrongType(
                value, "an object",
                suggestion: value.string.map { "{\"type\": \"\(String(quotable: $0))\"}" })
            return nil
        }
        guard let kind = kind(of: object, &reading) else { return nil }
        guard scope.nesting < reading.limits.nestingMax else {
            reading.note(.tooDeep, "Conditions are nested more than \(reading.limits.nestingMax) deep.")
            return nil
        }
        let isTyped = object["type"] != nil
        let known =
            (isTyped ? table.members(of: kind.name) : kind.members.map(\.name))
            + (kind.outcomes.isEmpty ? [] : [outcomeName])
        let subject =
            isTyped
            ? "\(SpecReading.withArticle(kind.name)) condition" : "A condition with \"\(kind.name)\""
        reading.members(of: object, subject, known: known) { _, name, _ in known.contains(name) }
        let otherwise = otherwise(object, of: kind, scope, &reading)
        return kind.readSpec(object, otherwise, scope.nested, &reading)
    }

    // MARK: The kind

    private static func kind(
        of object: JSONObject, _ reading: inout SpecReading
    ) -> (any ConditionKind.Type)? {
        let list = names.joined(separator: ", ")
        guard let value = object["type"] else {
            if let kind = combining.first(where: { object[$0.name] != nil }) { return kind }
            reading.missing(
                "type",
                "Conditions are: \(list); \(inPlaceOfType).")
            return nil
        }
        return reading.inside("type") { reading in
            guard let name = reading.string(value, "one of the conditions \(list)") else { return nil }
            if let kind = table[name] { return kind }
            reading.note(
                .unknownType,
                "There is no condition \"\(String(quotable: name))\". Conditions are: \(list); \(inPlaceOfType).",
                suggestion: inOtherWords[name] ?? reading.suggestion(for: name, in: names), allowed: names)
            return nil
        }
    }

    private static let inPlaceOfType = #"or "all", "any", "not" or "when" in place of a type"#

    /// The words that say the same as a type that does not exist.
    private static let inOtherWords = [
        "all": #"{"all": [{"type": "approval", "prompt": "Pay?"}]}"#,
        "any": #"{"any": [{"type": "approval", "prompt": "Pay?"}]}"#,
        "and": #"{"all": [{"type": "approval", "prompt": "Pay?"}]}"#,
        "or": #"{"any": [{"type": "approval", "prompt": "Pay?"}]}"#,
        "not": #"{"not": {"type": "reachability", "url": "https://example.com/"}}"#,
        "negated": #"{"not": {"type": "reachability", "url": "https://example.com/"}}"#,
        "ignored": #"write "otherwise": "skip" into the condition itself"#,
        "silent": #"write "check_only": true into the condition itself"#,
        "expression": #"{"when": {"$get": "a", "at": "/body/ready", "equals": true}}"#,
        "when": #"{"when": {"$get": "a", "at": "/body/ready", "equals": true}}"#,
        "if": #"{"when": {"$get": "a", "at": "/body/ready", "equals": true}}"#,
        "no_failed_dependencies": #"leave it out: "after" and references require success"#,
        "no_cancelled_dependencies":
            #""after": [{"operation": "a", "states": ["succeeded", "failed", "skipped"]}]"#,
    ]

    // MARK: Otherwise

    private static let outcomeName = "otherwise"

    /// The effect of a condition that does not hold; the default of the kind when it is not said.
    private static func otherwise(
        _ object: JSONObject, of kind: any ConditionKind.Type, _ scope: SpecScope,
        _ reading: inout SpecReading
    ) -> ConditionOtherwise {
        let standard = kind.outcomes.first ?? .wait
        guard !kind.outcomes.isEmpty, let value = object[outcomeName] else { return standard }
        return reading.inside(outcomeName) { reading in
            guard
                let word = reading.word(value, of: kind.outcomes.map(\.rawValue)),
                let outcome = ConditionOtherwise(rawValue: word)
            else { return standard }
            if outcome == .skip, scope.nesting > 0 {
                reading.note(
                    .conflict,
                    "A condition inside of another one holds or does not. Say \"skip\" in the outermost one.")
            }
            return outcome
        }
    }
}

extension SpecForm where Value == ConditionSpec {
    static var condition: SpecForm { SpecForm { ConditionKinds.read($1, $2, &$0) } }
}

extension SpecForm where Value == [ConditionSpec] {
    /// At least one condition.
    static var conditions: SpecForm {
        SpecForm { reading, value, scope in
            if value.array?.isEmpty == true { reading.note(.outOfRange, "List at least one condition.") }
            return ConditionKinds.readList(value, scope, &reading)
        }
    }
}
