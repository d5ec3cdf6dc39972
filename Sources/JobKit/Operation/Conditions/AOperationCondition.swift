/// Something that must hold before an operation is executed. Asked once everything the operation depends on is
/// finished; all conditions of an operation are asked, at the same time, and every failure is reported.
///
/// What the answers of several conditions mean together:
///
/// | Answers | The operation |
/// |---|---|
/// | all satisfied | is executed |
/// | at least one failed | fails with the errors of all that failed, in declared order |
/// | some satisfied, the others ignored | is executed |
/// | all ignored | is skipped, with the reasons |
///
/// `MutualExclusion` asks nothing, and its answer does not count.
public protocol AOperationCondition: Sendable {
    /// What it is called in errors.
    var name: String { get }

    /// Kind and parameters, for conditions that may be declared twice: equal ones of one list are asked once. Nil, the
    /// default, is like no other.
    var identity: AConditionIdentity? { get }

    /// Keys that nobody else may hold while the operation is executed. Default none.
    var exclusionKeys: [String] { get }

    /// Operations that must be finished before it is asked. Default none.
    func prerequisites(in context: AConditionContext) async -> [APrerequisite]

    /// Whether it holds; asked when the prerequisites are finished. Default: whether all of them succeeded.
    /// Cancelling the task ends the question early; the answer is then discarded.
    func evaluate(in context: AConditionContext) async -> AConditionVerdict
}

extension AOperationCondition {
    /// The name of the type.
    public var name: String { String(describing: Self.self) }
    /// None: like no other condition.
    public var identity: AConditionIdentity? { nil }
    /// None.
    public var exclusionKeys: [String] { [] }
    /// None.
    public func prerequisites(in context: AConditionContext) async -> [APrerequisite] { [] }

    /// Fails with the error of the first prerequisite that did not succeed.
    public func evaluate(in context: AConditionContext) async -> AConditionVerdict {
        guard let failed = context.prerequisites.first(where: { $0.ending.state != .succeeded }) else {
            return .satisfied
        }
        return .failed(APrerequisite.error(about: failed.name, failed.ending))
    }
}

/// What a condition asks: its kind and all its parameters.
public struct AConditionIdentity: Sendable, Hashable {
    /// The kind, such as `mutual_exclusion`.
    public let kind: String
    /// What makes it different from others of its kind.
    public let parameters: [String]
    /// The conditions inside it.
    public let inner: [AConditionIdentity]

    /// The identity of a condition without others inside.
    public init(_ kind: String, _ parameters: [String] = []) {
        self.kind = kind
        self.parameters = parameters
        inner = []
    }

    /// The identity of a condition that asks others; nil when one of them is like no other.
    public init?(_ kind: String, of conditions: [any AOperationCondition], _ parameters: [String] = []) {
        let inner = conditions.compactMap(\.identity)
        guard inner.count == conditions.count else { return nil }
        self.kind = kind
        self.parameters = parameters
        self.inner = inner
    }
}

/// What a condition answers.
public enum AConditionVerdict: Sendable {
    /// It holds.
    case satisfied
    /// It does not hold: the operation fails with this error, `state: condition`.
    case failed(AOperationError)
    /// It does not hold, and that is no failure: the operation is skipped unless another condition is satisfied.
    case ignored(AOperationError)

    /// Whether the question could not be answered (`condition.broken`).
    var isBroken: Bool {
        switch self {
        case .satisfied: false
        case .failed(let error), .ignored(let error): error.code == .conditionBroken
        }
    }
}
