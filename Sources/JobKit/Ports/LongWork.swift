internal import Synchronization

/// The expected time of a piece of long work. Brief work does not wait for work that takes longer.
package enum LongWorkSize: Sendable {
    /// Some ten milliseconds.
    case brief
    /// Up to some seconds.
    case long
}

/// The job that needs long work, and its tenant; empty for none.
package struct LongWorkOwner: Sendable, Hashable {
    package var tenant: String
    package var job: String

    package init(tenant: String = "", job: String) {
        self.tenant = tenant
        self.job = job
    }
}

/// Runs work that takes too long for a loop that all jobs share, such as reading hundreds of megabytes.
package protocol LongWork: Sendable {
    /// Runs `work` once. From any thread. Tenants take turns, and so do the jobs of each, however much work one has.
    func add(_ size: LongWorkSize, for owner: LongWorkOwner, _ work: @escaping @Sendable () -> Void)

    /// Whether work of this size waits for that which is running. From any thread.
    func isWaiting(_ size: LongWorkSize) -> Bool
}

extension LongWork {
    /// The value of `work`, which runs there.
    package func result<Value: Sendable>(
        _ size: LongWorkSize, for owner: LongWorkOwner, of work: @escaping @Sendable () -> Value
    ) async -> Value {
        let fence = Fence()
        let value = await withCheckedContinuation { continuation in
            add(size, for: owner) {
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

    package func add(
        _ size: LongWorkSize, for owner: LongWorkOwner, _ work: @escaping @Sendable () -> Void
    ) {
        work()
    }

    package func isWaiting(_ size: LongWorkSize) -> Bool { false }
}
