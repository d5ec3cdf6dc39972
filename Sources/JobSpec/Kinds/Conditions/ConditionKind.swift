import JobKit
internal import StrictJSON

/// A kind of condition, and a condition of that kind as in a spec.
protocol ConditionKind: SpecKind {
    /// The values that `otherwise` may have, the default first. Without any there is no such member.
    static var outcomes: [ConditionOtherwise] { get }

    /// The conditions inside. Default none.
    var inner: [ConditionSpec] { get }

    /// Reads the members. `type` and the names of the others have been checked.
    /// - Parameter otherwise: the effect when it does not hold.
    /// - Returns: nil when they are invalid, which has been reported then.
    static func read(
        _ object: JSONObject, _ otherwise: ConditionOtherwise, _ scope: SpecScope,
        _ reading: inout SpecReading
    ) -> Self?

    /// The condition that this describes, which fails or waits when it does not hold.
    func condition(in surroundings: ConditionSurroundings) -> any OperationCondition
}

extension ConditionKind {
    static var outcomes: [ConditionOtherwise] { [.fail, .skip] }
    var inner: [ConditionSpec] { [] }

    /// See `read`.
    static func readSpec(
        _ object: JSONObject, _ otherwise: ConditionOtherwise, _ scope: SpecScope,
        _ reading: inout SpecReading
    ) -> ConditionSpec? {
        read(object, otherwise, scope, &reading).map { ConditionSpec($0, otherwise) }
    }
}
