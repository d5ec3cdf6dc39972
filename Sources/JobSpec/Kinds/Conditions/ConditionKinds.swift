internal import JobKit
internal import StrictJSON

/// The conditions that a spec can have.
enum ConditionKinds {
    static let all: [any ConditionKind.Type] = [
        ReachabilitySpec.self, LockSpec.self, NoFailedDependenciesSpec.self,
        NoCancelledDependenciesSpec.self, ApprovalSpec.self, AuthorizationSpec.self, ExpressionSpec.self,
        TimeWindowSpec.self, AllConditionsSpec.self, AnyConditionSpec.self, IgnoredConditionSpec.self,
        NegatedConditionSpec.self, SilentConditionSpec.self,
    ]

    private static let table = KindTable(all.map { ($0.name, $0.members, $0) })

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
        let known = table.members(of: kind.name)
        reading.members(of: object, "\(SpecReading.withArticle(kind.name)) condition", known: known) {
            _, name, _ in
            known.contains(name)
        }
        return kind.readSpec(object, scope.nested, &reading)
    }

    private static func kind(
        of object: JSONObject, _ reading: inout SpecReading
    ) -> (any ConditionKind.Type)? {
        let list = names.joined(separator: ", ")
        guard let value = object["type"] else {
            reading.missing("type", "Conditions are: \(list).")
            return nil
        }
        return reading.inside("type") { reading in
            guard let name = reading.string(value, "one of the conditions \(list)") else { return nil }
            if let kind = table[name] { return kind }
            reading.note(
                .unknownType,
                "There is no condition \"\(String(quotable: name))\". Conditions are: \(list).",
                suggestion: reading.suggestion(for: name, in: names), allowed: names)
            return nil
        }
    }
}

extension SpecForm where Value == ConditionSpec {
    static var condition: SpecForm { SpecForm { ConditionKinds.read($1, $2, &$0) } }
}
