internal import Synchronization

/// Runs other operations and is over when all of them are. Fails when a member failed, with the members' errors in
/// the order in which they came, each as it arose; a member's cancellation is not an error of the group.
///
/// ```swift
/// GroupOperation("nightly", concurrency: 2) { group in
///     let list = group.add(FetchList())
///     group.add(Charge().receiving(list))
/// }
/// ```
public struct GroupOperation: AOperation {
    /// What it is called.
    public let name: String
    private let concurrency: Int?
    private let failsFast: Bool
    private let build: @Sendable (GroupScope) -> Void

    /// - Parameters:
    ///   - concurrency: how many members are executed at once; nil is no limit.
    ///   - failsFast: whether the first failure stops the other members.
    ///   - build: adds the members, when the group is executed.
    public init(
        _ name: String = "Group", concurrency: Int? = nil, failsFast: Bool = false,
        build: @escaping @Sendable (GroupScope) -> Void
    ) {
        self.name = name
        self.concurrency = concurrency
        self.failsFast = failsFast
        self.build = build
    }

    /// The group without conditions, observers or limits. It has no grace period of its own: it waits for its
    /// members, and each of them has one.
    public var recipe: AOperationRecipe<Void> {
        var recipe = AOperationRecipe<Void>(name: name) { context in try await self.execute(in: context) }
        recipe.settings.grace = nil
        return recipe
    }

    /// Runs the members.
    public func execute(in context: AOperationContext) async throws {
        let scope = GroupScope(
            queue: QueueCore(
                capacity: concurrency, environment: context.core.environment, parent: context.core),
            failsFast: failsFast)
        build(scope)
        let errors = await withTaskCancellationHandler {
            await scope.allFinished()
        } onCancel: {
            scope.cancelMembers()
        }
        if context.core.isStopRequested { throw CancellationError() }
        if !errors.isEmpty { throw OperationErrors(list: errors) }
    }
}

/// Where members are added to a running group.
public final class GroupScope: Sendable {
    private struct Tally {
        /// One more than the members that are not finished, until the group has been built.
        var open = 1
        var errors: [AOperationError] = []
        var isStopping = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// At most this many errors of members are kept.
    private static let errorsMax = 100

    private let queue: QueueCore
    private let failsFast: Bool
    private let tally = Mutex(Tally())

    init(queue: QueueCore, failsFast: Bool) {
        self.queue = queue
        self.failsFast = failsFast
    }

    /// Adds a member. While the group is running this is also possible from its members.
    @discardableResult
    public func add<Output>(_ operation: some AOperationConvertible<Output>) -> AOperationHandle<Output> {
        add(operation.recipe, failureCounts: true)
    }

    func add<Output>(_ recipe: AOperationRecipe<Output>, failureCounts: Bool) -> AOperationHandle<Output> {
        let isStopping = tally.withLock { tally in
            tally.open += 1
            return tally.isStopping
        }
        let handle = queue.add(recipe)
        handle.core.whenFinished { [weak self] in self?.note($0, counts: failureCounts) }
        if isStopping { handle.core.cancel(code: .cancelledParent, reason: "its group is being stopped") }
        return handle
    }

    func cancelMembers() {
        tally.withLock { $0.isStopping = true }
        queue.cancelAll(code: .cancelledParent, reason: "its group is being stopped")
    }

    /// Waits for the end of every member and returns their errors.
    func allFinished() async -> [AOperationError] {
        await withCheckedContinuation { continuation in
            let isOver = tally.withLock { tally -> Bool in
                tally.open -= 1
                if tally.open > 0 { tally.waiter = continuation }
                return tally.open == 0
            }
            if isOver { continuation.resume() }
        }
        return tally.withLock { $0.errors }
    }

    private func note(_ ending: OperationEnding, counts: Bool) {
        let isFailure = ending.state == .failed && counts
        let (waiter, stops) = tally.withLock { tally -> (CheckedContinuation<Void, Never>?, Bool) in
            tally.open -= 1
            if isFailure && tally.errors.count < Self.errorsMax { tally.errors += ending.errors }
            let stops = isFailure && failsFast && !tally.isStopping
            if stops { tally.isStopping = true }
            guard tally.open == 0 else { return (nil, stops) }
            defer { tally.waiter = nil }
            return (tally.waiter, stops)
        }
        if stops { cancelMembers() }
        waiter?.resume()
    }
}

extension OperationCore {
    var isStopRequested: Bool { standing.withLock { $0.stop != nil } }
}
