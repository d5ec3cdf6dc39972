internal import JobKit
internal import StrictJSON

/// The condition inside does not hold.
struct NegatedConditionSpec: ConditionKind {
    var condition: ConditionSpec
    var inner: [ConditionSpec] { [condition] }

    static let name = "negated"
    static let members: [any KindMember] = [conditionMember]
    private static let conditionMember = RequiredMember.condition(inside: name)

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> NegatedConditionSpec?
    {
        conditionMember.read(object, scope, &reading).map(NegatedConditionSpec.init)
    }

    func condition(in surroundings: ConditionSurroundings) -> any AOperationCondition {
        NegatedCondition(condition.condition(in: surroundings))
    }
}
