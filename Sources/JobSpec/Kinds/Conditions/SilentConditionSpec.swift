internal import JobKit
internal import StrictJSON

/// The inner condition, without the operation that it would cause.
struct SilentConditionSpec: ConditionKind {
    var condition: ConditionSpec
    var inner: [ConditionSpec] { [condition] }

    static let name = "silent"
    static let members: [any KindMember] = [conditionMember]
    private static let conditionMember = RequiredMember.condition(inside: name)

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> SilentConditionSpec?
    {
        conditionMember.read(object, scope, &reading).map(SilentConditionSpec.init)
    }

    func condition(in surroundings: ConditionSurroundings) -> any AOperationCondition {
        SilentCondition(condition.condition(in: surroundings))
    }
}
