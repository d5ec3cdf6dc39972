internal import Synchronization

/// An operation that conditions of several operations need and that runs once for all of them: the first that needs it
/// adds it to its queue. It is cancelled when all that waited for it were cancelled.
public final class SharedPrerequisite: Sendable {
    private struct Standing {
        var core: OperationCore?
        var users = 0
    }

    /// The name of the operation.
    public let name: String
    private let make: @Sendable (ConditionNeed) -> OperationCore
    private let standing = Mutex(Standing())

    /// Creates a prerequisite without users.
    public init<Output>(_ operation: some OperationConvertible<Output>) {
        let recipe = operation.recipe
        name = recipe.name
        make = { need in need.target.queue.prepare(recipe, for: need).core }
    }

    /// Adds a user. An operation that was cancelled, or abandoned by all users before it was done, is made again.
    func join(_ need: ConditionNeed) -> Prerequisite.Lease {
        let core = standing.withLock { standing -> OperationCore in
            if let core = standing.core, !core.isStopRequested {
                standing.users += 1
                return core
            }
            let core = make(need)
            standing.core = core
            standing.users = 1
            return core
        }
        core.enqueue()
        return .init(core: core) { [self] in leave(core) }
    }

    private func leave(_ core: OperationCore) {
        let isLast = standing.withLock { standing in
            guard standing.core === core else { return false }
            standing.users -= 1
            guard standing.users == 0, !core.isSettled else { return false }
            // Removed under the lock, so that a new user does not get an operation that is about to be cancelled.
            standing.core = nil
            return true
        }
        if isLast { Prerequisite.cancelUnlessNeeded(core) }
    }
}
