internal import Synchronization

/// Runs operations: as many at once as its capacity says, as soon as what each depends on is finished.
///
/// ```swift
/// let queue = AOperationQueue(capacity: 4)
/// let token = queue.add(FetchToken(password: "…").timeout(.seconds(5)))
/// let profile = queue.add(FetchProfile().receiving(token))
/// let ada = try await profile.value
/// ```
public final class AOperationQueue: Sendable {
    let core: QueueCore

    /// - Parameters:
    ///   - capacity: how many operations are executed at once; nil is no limit.
    ///   - environment: the world its operations see.
    public init(capacity: Int? = nil, environment: AOperationEnvironment = AOperationEnvironment()) {
        core = QueueCore(capacity: capacity, environment: environment, parent: nil)
    }

    /// Adds an operation; it begins by itself.
    @discardableResult
    public func add<Output>(_ operation: some AOperationConvertible<Output>) -> AOperationHandle<Output> {
        core.add(operation.recipe)
    }

    /// Stops or resumes beginning operations; those in execution go on.
    public var isSuspended: Bool {
        get { core.isSuspended }
        set { core.setSuspended(newValue) }
    }

    /// How many operations are not finished.
    public var unfinishedCount: Int { core.unfinishedCount }

    /// Asks everything on the queue to stop.
    public func cancelAll(reason: String? = nil) { core.cancelAll(code: .cancelledUser, reason: reason) }

    /// Returns when nothing on the queue is unfinished.
    public func drained() async {
        while let operation = core.anyUnfinished { _ = await operation.finished() }
    }
}

/// The inside of a queue; groups have one, too.
final class QueueCore: Sendable {
    private struct Contents {
        var unfinished: [ObjectIdentifier: OperationCore] = [:]
        var isSuspended = false
        var held: [OperationCore] = []
    }

    let environment: AOperationEnvironment
    let slots: SlotPool
    /// The group whose members this queue runs; nil for a queue of its own.
    let parent: OperationCore?
    private let contents = Mutex(Contents())

    init(capacity: Int?, environment: AOperationEnvironment, parent: OperationCore?) {
        self.environment = environment
        self.parent = parent
        slots = SlotPool(capacity: capacity)
    }

    func add<Output>(_ recipe: AOperationRecipe<Output>) -> AOperationHandle<Output> {
        let handle = prepare(recipe)
        handle.core.enqueue()
        return handle
    }

    /// Makes the operation, and room for it. It begins when it is enqueued.
    /// - Parameter need: the question of a condition that needs it; nil when it stands for itself.
    func prepare<Output>(
        _ recipe: AOperationRecipe<Output>, for need: ConditionNeed? = nil
    ) -> AOperationHandle<Output> {
        let box = OutputBox<Output>()
        let body = recipe.body
        let persistence = recipe.persistence
        let work = OperationCore.Work(
            run: { context in box.value = try await body(context) },
            captured: { box.value.flatMap { persistence?.capture($0) } },
            restore: { result in box.value = persistence?.restore(result) })
        let core = OperationCore(
            name: recipe.name, place: place(of: recipe.step ?? recipe.name, for: need),
            settings: recipe.settings, queue: self, work: work)
        contents.withLock { $0.unfinished[ObjectIdentifier(core)] = core }
        (need?.target ?? parent)?.adopt(core)
        return AOperationHandle(core: core, box: box)
    }

    /// Begins an operation whose dependencies are finished, or keeps it until the queue is resumed.
    func begin(_ operation: OperationCore) {
        let isHeld = contents.withLock { contents -> Bool in
            if contents.isSuspended { contents.held.append(operation) }
            return contents.isSuspended
        }
        if !isHeld { operation.begin() }
    }

    func remove(_ operation: OperationCore) {
        contents.withLock { _ = $0.unfinished.removeValue(forKey: ObjectIdentifier(operation)) }
    }

    func cancelAll(code: ErrorCode, reason: String?) {
        for operation in contents.withLock({ Array($0.unfinished.values) }) {
            operation.cancel(code: code, reason: reason)
        }
    }

    var isSuspended: Bool { contents.withLock { $0.isSuspended } }

    func setSuspended(_ isSuspended: Bool) {
        let released = contents.withLock { contents -> [OperationCore] in
            contents.isSuspended = isSuspended
            guard !isSuspended else { return [] }
            defer { contents.held = [] }
            return contents.held
        }
        slots.setSuspended(isSuspended)
        for operation in released where operation.state == .pending { operation.begin() }
    }

    var unfinishedCount: Int { contents.withLock { $0.unfinished.count } }
    var anyUnfinished: OperationCore? { contents.withLock { $0.unfinished.values.first } }

    private func place(of name: String, for need: ConditionNeed?) -> OperationCore.Place {
        if let need { return need.place(of: name) }
        guard let parent else { return .init(path: [], publisherPath: [name], heldKeys: []) }
        return .init(
            path: parent.path + [name], publisherPath: parent.publisherPath + [name],
            heldKeys: parent.inheritedKeys.union(parent.standing.withLock { $0.heldKeys }))
    }
}

extension OperationCore {
    /// Makes `child` part of this subtree.
    func adopt(_ child: OperationCore) { standing.withLock { $0.children.append(child) } }
}
