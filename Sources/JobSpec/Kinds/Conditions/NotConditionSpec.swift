internal import JobKit
internal import StrictJSON

/// The condition inside does not hold.
struct NotConditionSpec: ConditionKind {
    var condition: ConditionSpec
    var inner: [ConditionSpec] { [condition] }

    static let name = "not"
    static let members: [any KindMember] = [innerMember]
    private static let innerMember = RequiredMember(name, .condition)

    static func read(
        _ object: JSONObject, _ otherwise: ConditionOtherwise, _ scope: SpecScope,
        _ reading: inout SpecReading
    ) -> NotConditionSpec? {
        innerMember.read(object, scope, &reading).map(NotConditionSpec.init)
    }

    func condition(in surroundings: ConditionSurroundings) -> any OperationCondition {
        NegatedCondition(condition.condition(in: surroundings))
    }
}
