internal import Synchronization

/// Runs work that takes too long for a loop that all jobs share, such as reading hundreds of megabytes.
package protocol LongWork: Sendable {
    /// Runs `work` once, after the work of others who wait longer. From any thread.
    /// - Parameter owner: the job, say. Owners take turns, however much work each of them has.
    func add(for owner: String, _ work: @escaping @Sendable () -> Void)
}

extension LongWork {
    /// The value of `work`, which runs there.
    package func result<Value: Sendable>(
        for owner: String, of work: @escaping @Sendable () -> Value
    ) async -> Value {
        let fence = Fence()
        let value = await withCheckedContinuation { continuation in
            add(for: owner) {
                let value = work()
                // On both sides, since the thread sanitizer does not always see that a continuation orders them, too.
                fence.lock.withLock { _ in }
                continuation.resume(returning: value)
            }
        }
        fence.lock.withLock { _ in }
        return value
    }
}

private final class Fence: Sendable {
    let lock = Mutex(())
}

/// Runs long work where it is asked for: for programs without a loop of their own, and for a simulation, where each run
/// must be the same as the last one.
package struct WorkAtOnce: LongWork {
    package init() {}

    package func add(for owner: String, _ work: @escaping @Sendable () -> Void) { work() }
}
