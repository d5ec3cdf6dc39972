internal import JobKit
internal import StrictJSON

/// At least one of the conditions inside holds.
struct AnyConditionSpec: ConditionKind {
    var inner: [ConditionSpec]

    static let name = "any"
    static let members: [any KindMember] = [conditionsMember]
    private static let conditionsMember = RequiredMember.conditions(inside: name)

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> AnyConditionSpec?
    {
        conditionsMember.read(object, scope, &reading).map(AnyConditionSpec.init)
    }

    func condition(in surroundings: ConditionSurroundings) -> any AOperationCondition {
        AnyCondition(inner.map { $0.condition(in: surroundings) }) ?? ConditionSpec.empty
    }
}
