/// The context of a condition's evaluation.
public struct ConditionContext: Sendable {
    package let core: OperationCore
    /// The dependencies of the operation, with their endings.
    public let dependencies: [Dependency]
    /// The prerequisites of this condition with their endings, in declared order.
    public internal(set) var prerequisites: [Dependency] = []
    /// Whether to evaluate without side effects: no requests, no questions to people, no waits.
    public internal(set) var isSilent = false
    /// The condition being evaluated, such as `conditions[0]`.
    var question = "conditions"
    /// Whether a condition evaluates another, rather than the operation itself.
    var isInside = false
    /// The prerequisites of all conditions so far, where one of them looks at the others'.
    var needs: NeededEndings?

    /// A dependency or prerequisite with its ending.
    public struct Dependency: Sendable {
        /// The name of the operation.
        public let name: String
        /// Its ending.
        public let ending: OperationEnding
    }

    /// Creates the context of `target`'s conditions.
    init(target: OperationCore, dependencies: [Dependency]) {
        core = target
        self.dependencies = dependencies
    }

    /// The name of the operation with the condition.
    public var operation: String { core.name }
    /// The environment of the operation.
    public var environment: OperationEnvironment { core.environment }

    /// Evaluates `condition` after its prerequisites. Conditions that contain others evaluate them with this, so that
    /// each has its own context.
    public func verdict(of condition: any OperationCondition) async -> ConditionVerdict {
        var own = self
        own.isInside = true
        switch await endings(of: condition) {
        case .success(let endings): own.prerequisites = endings
        case .failure(let error): return .failed(marked(error, by: condition))
        }
        switch await condition.evaluate(in: own) {
        case .satisfied: return .satisfied
        case .failed(let error): return .failed(marked(error, by: condition))
        case .ignored(let error): return .ignored(marked(error, by: condition))
        }
    }

    /// The endings of the prerequisites of `condition`, or the reason why it need not be evaluated.
    private func endings(of condition: any OperationCondition) async -> Result<[Dependency], AOperationError>
    {
        let needed = await condition.prerequisites(in: self)
        guard !needed.isEmpty, !Task.isCancelled else { return .success([]) }
        let leases = needed.enumerated().map { lease(on: $0.element, number: $0.offset) }
        var endings: [Dependency] = []
        var refusal: AOperationError?
        for (prerequisite, lease) in zip(needed, leases) {
            guard let lease, let ending = await wait(for: lease) else { continue }
            endings.append(Dependency(name: prerequisite.name, ending: ending))
            if refusal == nil { refusal = prerequisite.refusal(ending) }
        }
        for lease in leases { lease?.release() }
        needs?.add(endings)
        if let refusal { return .failure(refusal) }
        return .success(endings)
    }

    /// Nil when it is omitted, because the condition is evaluated without side effects.
    private func lease(on prerequisite: Prerequisite, number: Int) -> Prerequisite.Lease? {
        switch prerequisite.source {
        case .running(let core): return .init(core: core) {}
        case .produced(let produce):
            if isSilent { return nil }
            let place = number == 0 ? question : "\(question)#\(number)"
            return produce(ConditionNeed(target: core, question: place))
        }
    }

    private func wait(for lease: Prerequisite.Lease) async -> OperationEnding? {
        if let ending = lease.core.ending { return ending }
        core.count(openNeeds: 1)
        defer { core.count(openNeeds: -1) }
        return await Prerequisite.ending(of: lease.core)
    }

    /// Adds the origin of the error where it is missing.
    private func marked(_ error: AOperationError, by condition: any OperationCondition) -> AOperationError {
        var error = error
        error.stage = .condition
        if error.publisher == nil { error.publisher = condition.name }
        if error.path.isEmpty { error.path = core.publisherPath }
        if error.at == nil { error.at = environment.clock.now }
        return error
    }
}
