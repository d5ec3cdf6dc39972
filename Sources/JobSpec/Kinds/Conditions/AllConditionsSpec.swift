internal import JobKit
internal import StrictJSON

/// Satisfied when all inner conditions are.
struct AllConditionsSpec: ConditionKind {
    var inner: [ConditionSpec]

    static let name = "all"
    static let members: [any KindMember] = [innerMember]
    private static let innerMember = RequiredMember(name, .conditions)

    static func read(
        _ object: JSONObject, _ otherwise: ConditionOtherwise, _ scope: SpecScope,
        _ reading: inout SpecReading
    ) -> AllConditionsSpec? {
        innerMember.read(object, scope, &reading).map(AllConditionsSpec.init)
    }

    func condition(in surroundings: ConditionSurroundings) -> any OperationCondition {
        AllCondition(inner.map { $0.condition(in: surroundings) }) ?? ConditionSpec.empty
    }
}
