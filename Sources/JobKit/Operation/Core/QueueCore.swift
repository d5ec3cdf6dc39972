internal import Synchronization

/// The inside of a queue; groups have one, too.
package final class QueueCore: Sendable {
    /// The reasons why a queue starts no operations.
    struct Suspension: OptionSet {
        let rawValue: UInt8
        /// Requested by a caller.
        static let asked = Suspension(rawValue: 1)
        /// The group whose members it runs is not executed yet, or has not yet added its own.
        static let notStarted = Suspension(rawValue: 2)
    }

    private struct Contents {
        /// With the order of addition.
        var unfinished: [ObjectIdentifier: (number: UInt64, core: OperationCore)] = [:]
        var lastNumber: UInt64 = 0
        var suspension: Suspension = []
        var suspendedSince: Timestamp?
        var held: [OperationCore] = []
        weak var scope: GroupScope?

        mutating func enter(_ operation: OperationCore) {
            lastNumber += 1
            unfinished[ObjectIdentifier(operation)] = (lastNumber, operation)
        }
    }

    let name: String
    let environment: OperationEnvironment
    let delegate: (any OperationQueueDelegate)?
    let slots: SlotPool
    /// The group whose members this queue runs; nil for a separate queue.
    let parent: OperationCore?
    private let contents = Mutex(Contents())
    /// Whether an operation on it has waited for another one, so that the one around it may have to release its slot.
    let hasWaits = Atomic<Bool>(false)

    package init(
        capacity: Int?, environment: consuming OperationEnvironment, parent: OperationCore?,
        name: String = "queue",
        delegate: (any OperationQueueDelegate)? = nil
    ) {
        self.name = name
        self.environment = environment
        self.delegate = delegate
        self.parent = parent
        slots = SlotPool(capacity: capacity)
    }

    // MARK: Adding

    /// Adds an operation.
    /// - Parameter admit: is called before it is put on the queue, and may end it.
    package func add<Output>(
        _ recipe: OperationRecipe<Output>, admit: ((OperationCore) -> Void)? = nil
    ) -> OperationHandle<Output> {
        let made = make(recipe)
        var refusal = recipe.settings.refusal(of: recipe.name)
        if refusal == nil { refusal = delegate?.queue(name, willAdd: made.core.info) }
        if refusal == nil, let unique = recipe.settings.unique {
            switch environment.uniqueness.claim(unique, for: made) {
            case .granted(let waits): if waits { made.core.waitForTurn() }
            case .refused(let error): refusal = error
            case .joins(let holder):
                made.core.discardScope()
                for observer in recipe.settings.observers {
                    holder.core.feed.attach(observer, to: holder.core)
                }
                return holder
            }
        }
        register(made.core, from: recipe.settings.producer)
        made.core.entry.reserveSlot()
        if let refusal { made.core.refuse(refusal) }
        admit?(made.core)
        made.core.enqueue()
        if refusal == nil { delegate?.queue(name, didAdd: made.core.info) }
        return made
    }

    /// Creates the operation, and its entry. It begins when it is enqueued.
    /// - Parameter need: the question of a condition that needs it.
    func prepare<Output>(
        _ recipe: OperationRecipe<Output>, for need: ConditionNeed
    ) -> OperationHandle<Output> {
        let made = make(recipe, for: need)
        contents.withLock { $0.enter(made.core) }
        need.target.adopt(made.core)
        made.core.feed.inherit(by: made.core, from: need.target)
        made.core.feed.attach(to: made.core)
        return made
    }

    private func make<Output>(
        _ recipe: OperationRecipe<Output>, for need: ConditionNeed? = nil
    ) -> OperationHandle<Output> {
        let box = OutputBox<Output>()
        let body = recipe.body
        let persistence = recipe.persistence
        let admit = persistence?.admit
        let run: @Sendable (OperationContext) async throws -> Void = { context in
            let output = try await OperationCore.$current.withValue(context.core) {
                try await body(context)
            }
            try admit?(output)
            box.value = output
        }
        let surround = environment.tracer?.surrounding(recipe.name)
        // What is traced has its wait in its trace.
        let work = Self.work(
            surround.map { Self.traced(run, $0) } ?? run, surround == nil ? recipe.lull : nil, persistence,
            box)
        let core = OperationCore(
            name: recipe.name, place: place(of: recipe.step ?? recipe.name, for: need),
            settings: recipe.settings,
            queue: self,
            work: work)
        if let rules = recipe.settings.groupRules { core.prepareScope(rules) }
        return OperationHandle(core: core, box: box)
    }

    private static func work<Output>(
        _ run: @escaping @Sendable (OperationContext) async throws -> Void,
        _ lull: (@Sendable (OperationContext) -> WaitEnd)?,
        _ persistence: OperationRecipe<Output>.Persistence?, _ box: OutputBox<Output>
    ) -> OperationCore.Work {
        guard let persistence else {
            return OperationCore.Work(run: run, lull: lull, captured: { nil }, restore: { _ in })
        }
        return OperationCore.Work(
            run: run, lull: lull, captured: { box.value.flatMap { persistence.capture($0) } },
            restore: { result in box.value = persistence.restore(result) })
    }

    /// Lets a tracer surround `run`.
    private static func traced(
        _ run: @escaping @Sendable (OperationContext) async throws -> Void,
        _ surround: @escaping OperationTracer.Surrounding
    ) -> @Sendable (OperationContext) async throws -> Void {
        { context in try await surround(context) { try await run(context) } }
    }

    private func register(_ core: OperationCore, from producer: OperationCore?) {
        contents.withLock { $0.enter(core) }
        parent?.adopt(core)
        if let origin = producer ?? parent {
            core.feed.inherit(by: core, from: origin)
        } else {
            for observer in environment.observers { core.feed.add(observer, of: core) }
        }
        core.feed.attach(to: core)
    }

    /// Adds an operation that was created by another one on this queue: to the nearest group, or else to the queue.
    func produce<Output>(_ recipe: OperationRecipe<Output>) -> OperationHandle<Output> {
        if let scope = contents.withLock({ $0.scope }) { return scope.add(recipe) }
        if let parent { return parent.queue.produce(recipe) }
        return add(recipe)
    }

    func setScope(_ scope: GroupScope) { contents.withLock { $0.scope = scope } }

    /// Starts an operation whose dependencies have finished, or keeps it until the queue is resumed.
    func begin(_ operation: OperationCore) {
        let isHeld = contents.withLock { contents -> Bool in
            if contents.suspension.isEmpty { return false }
            contents.held.append(operation)
            return true
        }
        if !isHeld { operation.begin() }
    }

    func remove(_ operation: OperationCore) {
        contents.withLock { _ = $0.unfinished.removeValue(forKey: ObjectIdentifier(operation)) }
    }

    // MARK: Steering

    func cancelAll(code: ErrorCode, reason: String?) {
        OperationCore.cancel(allUnfinished.filter { !$0.settings.isFinal }, code: code, reason: reason)
    }

    /// Whether it is suspended, for any reason.
    var beginsNothing: Bool { contents.withLock { !$0.suspension.isEmpty } }

    func isSuspended(for reason: Suspension) -> Bool {
        contents.withLock { $0.suspension.contains(reason) }
    }

    /// The start of the suspension, and whether a caller requested it; nil without one.
    var suspension: (isAsked: Bool, since: Timestamp?)? {
        contents.withLock { contents in
            contents.suspension.isEmpty
                ? nil : (contents.suspension.contains(.asked), contents.suspendedSince)
        }
    }

    func suspend(for reason: Suspension) {
        let now = environment.clock.now
        contents.withLock { contents in
            if contents.suspension.isEmpty { contents.suspendedSince = now }
            contents.suspension.insert(reason)
        }
        slots.setSuspended { beginsNothing }
    }

    func resume(for reason: Suspension) {
        let released = contents.withLock { contents -> [OperationCore]? in
            contents.suspension.remove(reason)
            guard contents.suspension.isEmpty else { return nil }
            defer { contents.held = [] }
            return contents.held
        }
        guard let released else { return }
        slots.setSuspended { beginsNothing }
        for operation in released.sorted(by: Self.comesFirst) where operation.state == .pending {
            operation.begin()
        }
    }

    private static func comesFirst(_ one: OperationCore, _ other: OperationCore) -> Bool {
        one.settings.priority > other.settings.priority
    }

    var unfinishedCount: Int { contents.withLock { $0.unfinished.count } }
    /// An unfinished operation that is none of these.
    func anyUnfinished(except others: Set<ObjectIdentifier>) -> OperationCore? {
        contents.withLock { $0.unfinished.first { !others.contains($0.key) }?.value.core }
    }
    /// In order of addition.
    var allUnfinished: [OperationCore] {
        contents.withLock { Array($0.unfinished.values) }.sorted { $0.number < $1.number }.map(\.core)
    }

    private func place(of name: String, for need: ConditionNeed?) -> OperationCore.Place {
        if let need { return need.place(of: name) }
        guard let parent else { return .init(path: [], publisherPath: [name]) }
        return .init(path: parent.path + [name], publisherPath: parent.publisherPath + [name])
    }
}
