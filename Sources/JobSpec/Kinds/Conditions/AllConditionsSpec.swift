internal import JobKit
internal import StrictJSON

/// Satisfied when all inner conditions are.
struct AllConditionsSpec: ConditionKind {
    var inner: [ConditionSpec]

    static let name = "all"
    static let members: [any KindMember] = [conditionsMember]
    private static let conditionsMember = RequiredMember.conditions(inside: name)

    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> AllConditionsSpec?
    {
        conditionsMember.read(object, scope, &reading).map(AllConditionsSpec.init)
    }

    func condition(in surroundings: ConditionSurroundings) -> any AOperationCondition {
        // Without `strict`, one satisfied condition would outweigh those that skip.
        AllCondition(inner.map { $0.condition(in: surroundings) })?.strict() ?? ConditionSpec.empty
    }
}
