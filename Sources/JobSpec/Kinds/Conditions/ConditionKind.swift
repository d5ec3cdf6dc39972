internal import JobKit
internal import StrictJSON

/// A kind of condition, and a condition of that kind as a spec says it.
protocol ConditionKind: SpecKind {
    /// The conditions inside. Default none.
    var inner: [ConditionSpec] { get }

    /// Reads the members. `type` and the names of all others are checked already.
    /// - Returns: nil when nothing can be made of them, which has been noted then.
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
