/// What a condition may see.
public struct AConditionContext: Sendable {
    package let core: OperationCore
    /// What the operation depends on, and how it ended.
    public let dependencies: [Dependency]
    /// What this condition needed first, and how it ended, in declared order.
    public internal(set) var prerequisites: [Dependency] = []
    /// Whether it is only to look: nothing may be brought about, nobody asked, nothing waited for.
    public internal(set) var isSilent = false
    /// Which condition is asked, such as `conditions[0]`.
    var question = "conditions"
    /// Whether a condition is asking, and not the operation itself.
    var isInside = false

    /// One operation that came before.
    public struct Dependency: Sendable {
        /// What it is called.
        public let name: String
        /// How it ended.
        public let ending: OperationEnding
    }

    /// What `target` may see before it is executed.
    init(target: OperationCore, dependencies: [Dependency]) {
        core = target
        self.dependencies = dependencies
    }

    /// The operation that wants to be executed.
    public var operation: String { core.name }
    /// The world.
    public var environment: AOperationEnvironment { core.environment }

    /// The answer of `condition`, asked after what it needs first. Conditions that have others inside ask them with
    /// this, so that each brings its own circumstances along.
    public func verdict(of condition: any AOperationCondition) async -> AConditionVerdict {
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

    /// How everything that `condition` needs first ended, or why it need not be asked.
    private func endings(of condition: any AOperationCondition) async -> Result<[Dependency], AOperationError>
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
        if let refusal { return .failure(refusal) }
        return .success(endings)
    }

    /// Nil when it is left out, because the condition only looks.
    private func lease(on prerequisite: APrerequisite, number: Int) -> APrerequisite.Lease? {
        switch prerequisite.source {
        case .running(let core): return .init(core: core) {}
        case .produced(let produce):
            if isSilent { return nil }
            let place = number == 0 ? question : "\(question)#\(number)"
            return produce(ConditionNeed(target: core, question: place))
        }
    }

    private func wait(for lease: APrerequisite.Lease) async -> OperationEnding? {
        if let ending = lease.core.ending { return ending }
        core.count(openNeeds: 1)
        defer { core.count(openNeeds: -1) }
        return await lease.core.endingUnlessCancelled()
    }

    /// Fills in what the error does not say yet about its origin.
    private func marked(_ error: AOperationError, by condition: any AOperationCondition) -> AOperationError {
        var error = error
        error.state = .condition
        if error.publisher == nil { error.publisher = condition.name }
        if error.path.isEmpty { error.path = core.publisherPath }
        if error.at == nil { error.at = environment.clock.now }
        return error
    }
}
