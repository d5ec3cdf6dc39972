internal import JobKit
internal import StrictJSON

/// The condition inside; its failure makes the operation skipped instead of failed.
struct IgnoredConditionSpec: ConditionKind {
    var condition: ConditionSpec
    var inner: [ConditionSpec] { [condition] }

    static let name = "ignored"
    static let members: [any KindMember] = [conditionMember]
    private static let conditionMember = RequiredMember.condition(inside: name)

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> IgnoredConditionSpec?
    {
        conditionMember.read(object, scope, &reading).map(IgnoredConditionSpec.init)
    }

    func condition(in surroundings: ConditionSurroundings) -> any AOperationCondition {
        IgnoredCondition(condition.condition(in: surroundings))
    }
}
