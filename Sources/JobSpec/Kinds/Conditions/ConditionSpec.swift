internal import JobKit

/// A condition in a spec.
package struct ConditionSpec: Sendable, Hashable {
    let kind: any ConditionKind

    init(_ kind: some ConditionKind) { self.kind = kind }

    /// The word in the condition's `type`.
    package var type: String { Swift.type(of: kind).name }

    /// The conditions inside.
    package var inner: [ConditionSpec] { kind.inner }

    /// Whether it is of a type, or has one of it inside.
    func mentions(_ type: String) -> Bool { self.type == type || inner.contains { $0.mentions(type) } }

    /// The condition that this describes.
    func condition(in surroundings: ConditionSurroundings) -> any AOperationCondition {
        kind.condition(in: surroundings)
    }

    /// The condition of an empty list, which the reader refuses.
    static var empty: any AOperationCondition {
        ClosureCondition("empty") { _ in
            .failed(AOperationError(.conditionBroken, detail: "There is nothing to ask.", stage: .condition))
        }
    }

    /// Equal when the kinds and their members are equal.
    package static func == (one: ConditionSpec, other: ConditionSpec) -> Bool {
        one.kind.isEqual(to: other.kind)
    }

    /// Hashes the kind.
    package func hash(into hasher: inout Hasher) { kind.hash(into: &hasher) }
}
