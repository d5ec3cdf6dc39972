internal import JobKit
internal import StrictJSON

/// A kind of condition, and a condition of that kind as in a spec.
protocol ConditionKind: SpecKind {
    /// The conditions inside. Default none.
    var inner: [ConditionSpec] { get }

    /// Reads the members. `type` and the names of the others have been checked.
    /// - Returns: nil when they are invalid, which has been reported then.
    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading) -> Self?

    /// The condition that this describes.
    func condition(in surroundings: ConditionSurroundings) -> any AOperationCondition
}

extension ConditionKind {
    var inner: [ConditionSpec] { [] }

    /// See `read`.
    static func readSpec(
        _ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> ConditionSpec? {
        read(object, scope, &reading).map { ConditionSpec($0) }
    }
}
