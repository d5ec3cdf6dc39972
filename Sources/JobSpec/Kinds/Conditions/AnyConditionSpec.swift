internal import JobKit
internal import StrictJSON

/// At least one of the conditions inside holds.
struct AnyConditionSpec: ConditionKind {
    var inner: [ConditionSpec]

    static let name = "any"
    static let members: [any KindMember] = [innerMember]
    private static let innerMember = RequiredMember(name, .conditions)

    static func read(
        _ object: JSONObject, _ otherwise: ConditionOtherwise, _ scope: SpecScope,
        _ reading: inout SpecReading
    ) -> AnyConditionSpec? {
        innerMember.read(object, scope, &reading).map(AnyConditionSpec.init)
    }

    func condition(in surroundings: ConditionSurroundings) -> any OperationCondition {
        AnyCondition(inner.map { $0.condition(in: surroundings) }) ?? ConditionSpec.empty
    }
}
