internal import StrictJSON

/// A requirement that must be met before an operation is executed. Evaluated once all dependencies of the operation
/// have finished; all conditions of an operation are evaluated at the same time, and every failure is reported.
///
/// The verdicts of several conditions combine as follows:
///
/// | Verdicts | The operation |
/// |---|---|
/// | all satisfied | is executed |
/// | at least one failed | fails with the errors of all that failed, in declared order |
/// | some satisfied, the others ignored | is executed |
/// | all ignored | is skipped, with the reasons |
///
/// The verdict of `MutualExclusion` does not count.
public protocol OperationCondition: Sendable {
    /// The name in errors.
    var name: String { get }

    /// Kind and parameters, for conditions that may be declared twice: equal ones of one list are evaluated once. Nil,
    /// the default, equals no other.
    var identity: ConditionIdentity? { get }

    /// Exclusive keys that the operation holds while it is executed. Default none. They are taken before the condition
    /// asks for its prerequisites and is evaluated, so that of two operations with it the second sees what the first
    /// has done. `MutualExclusion`, which has no evaluation, takes its key when all conditions hold.
    var exclusionKeys: [String] { get }

    /// Operations that must finish before the evaluation. Default none.
    func prerequisites(in context: ConditionContext) async -> [Prerequisite]

    /// Whether the condition holds; called when the prerequisites have finished. It has no default, which would let a
    /// slip pass as a condition that holds; a condition of prerequisites alone is a `PrerequisiteCondition`.
    /// Cancelling the task ends the evaluation early; its verdict is then discarded.
    func evaluate(in context: ConditionContext) async -> ConditionVerdict
}

extension OperationCondition {
    /// The name of the type.
    public var name: String { String(describing: Self.self) }
    /// None: like no other condition.
    public var identity: ConditionIdentity? { nil }
    /// None.
    public var exclusionKeys: [String] { [] }
    /// None.
    public func prerequisites(in context: ConditionContext) async -> [Prerequisite] { [] }
}

/// A condition that holds when all of its prerequisites succeeded.
public protocol PrerequisiteCondition: OperationCondition {
    /// Operations that must succeed before the operation is executed. None is a condition that always holds; so a
    /// condition has to say that, and a slip in the signature does not compile.
    func prerequisites(in context: ConditionContext) async -> [Prerequisite]
}

extension PrerequisiteCondition {
    /// Replaces the default of `OperationCondition`, with which a slip would be a condition that always holds.
    @available(*, unavailable, message: "A condition of prerequisites says which.")
    public func prerequisites(in context: ConditionContext) async -> [Prerequisite] { [] }

    /// Fails with the error of the first prerequisite that did not succeed.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        guard let failed = context.prerequisites.first(where: { $0.ending.state != .succeeded }) else {
            return .satisfied
        }
        return .failed(Prerequisite.error(about: failed.name, failed.ending))
    }
}

/// The identity of a condition: its kind and all its parameters.
public struct ConditionIdentity: Sendable, Hashable {
    /// The kind, such as `lock`.
    public let kind: String
    /// The parameters that distinguish it from others of its kind.
    public let parameters: [String]
    /// The conditions inside it.
    public let inner: [ConditionIdentity]

    /// The identity of a condition without others inside.
    public init(_ kind: String, _ parameters: [String] = []) {
        self.kind = kind
        self.parameters = parameters
        inner = []
    }

    /// The identity of a condition that contains others; nil when one of them has none.
    public init?(_ kind: String, of conditions: [any OperationCondition], _ parameters: [String] = []) {
        let inner = conditions.compactMap(\.identity)
        guard inner.count == conditions.count else { return nil }
        self.kind = kind
        self.parameters = parameters
        self.inner = inner
    }

    /// Equal when the bytes are: a key composed and decomposed is two keys.
    public static func == (left: ConditionIdentity, right: ConditionIdentity) -> Bool {
        left.kind == right.kind && left.inner == right.inner
            && left.parameters.elementsEqual(right.parameters) { $0.hasSameBytes(as: $1) }
    }

    /// Feeds the bytes to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(parameters.map { ByteKey($0) })
        hasher.combine(inner)
    }
}

/// The verdict of a condition.
public enum ConditionVerdict: Sendable {
    /// The condition holds.
    case satisfied
    /// The condition does not hold: the operation fails with this error, `state: condition`.
    case failed(AOperationError)
    /// The condition does not hold, which is not a failure: the operation is skipped unless another condition is
    /// satisfied.
    case ignored(AOperationError)

    /// Whether the operation fails.
    var isFailure: Bool { if case .failed = self { true } else { false } }

    /// Whether the condition could not be evaluated (`condition.broken`).
    var isBroken: Bool {
        switch self {
        case .satisfied: false
        case .failed(let error), .ignored(let error): error.code == .conditionBroken
        }
    }
}
