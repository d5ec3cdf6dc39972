internal import JobKit

/// A condition in a spec.
package struct ConditionSpec: Sendable, Hashable {
    let kind: any ConditionKind
    /// The effect when it does not hold.
    let otherwise: ConditionOtherwise

    init(_ kind: some ConditionKind, _ otherwise: ConditionOtherwise) {
        self.kind = kind
        self.otherwise = otherwise
    }

    /// The word in the condition's `type`, or the member that stands in place of one: `all`, `any`, `not` or `when`.
    package var type: String { Swift.type(of: kind).name }

    package var inner: [ConditionSpec] { kind.inner }

    /// The condition that this describes.
    func condition(in surroundings: ConditionSurroundings) -> any OperationCondition {
        let condition = kind.condition(in: surroundings)
        return otherwise == .skip ? SkippingCondition(condition) : condition
    }

    /// The condition of an empty list, which the reader refuses.
    static var empty: any OperationCondition {
        ClosureCondition("empty") { _ in
            .failed(AOperationError(.conditionBroken, detail: "There is nothing to ask.", stage: .condition))
        }
    }

    /// Equal when the kinds, their members and the effects are equal.
    package static func == (one: ConditionSpec, other: ConditionSpec) -> Bool {
        one.otherwise == other.otherwise && one.kind.isEqual(to: other.kind)
    }

    package func hash(into hasher: inout Hasher) { kind.hash(into: &hasher) }
}
