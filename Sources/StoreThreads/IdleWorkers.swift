package import JobKit

/// Runs long work on threads of idle priority, which the system stops at once when a loop has something to do: one for
/// brief work, and one for work that takes longer. Each is created for its first work.
package final class IdleWorkers: LongWork {
    private let brief = WorkLane("idle-brief", .idle)
    private let long = WorkLane("idle-long", .idle)

    package init() {}

    /// Runs `work` on one of the threads. After `close`, and when the system gives no thread, it runs at once on the
    /// caller's.
    package func add(
        _ size: LongWorkSize, for owner: LongWorkOwner, _ work: @escaping @Sendable () -> Void
    ) {
        lane(size).add(work, for: owner)
    }

    package func isWaiting(_ size: LongWorkSize) -> Bool { lane(size).hasWaiting }

    private func lane(_ size: LongWorkSize) -> WorkLane {
        switch size {
        case .brief: brief
        case .long: long
        }
    }

    /// Ends the threads when all work is done.
    package func close() {
        brief.close()
        long.close()
    }
}
