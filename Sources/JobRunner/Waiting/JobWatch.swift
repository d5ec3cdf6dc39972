package import EventIO
package import JobKit
package import JobStore
import Synchronization

// DESIGN
// The store reports every commit, on its own thread. Without waiters that costs one atomic load per commit. A waiter
// registers first and reads the store afterwards (its owner does), so that no change falls between. It is notified
// once, on its loop: of the first change that satisfies it, or of its timeout.

/// Wakes waiters for a job when it changes.
package final class JobWatch: Sendable {
    private struct Table {
        var waiters: [JobID: [JobWaiter]] = [:]
        var count = 0
        /// Whether further waits are refused.
        var isClosed = false
    }

    private let waitersMax: Int
    private let table = Mutex(Table())
    private let waiting = Atomic<Int>(0)

    /// - Parameter waitersMax: the maximum number of waiters; further waits are refused. Default 20,000.
    package init(waitersMax: Int = 20_000) { self.waitersMax = waitersMax }

    package var waitingCount: Int { waiting.load(ordering: .relaxed) }

    /// Handles the changes of one commit. From any thread.
    package func observe(_ changes: [JobChange]) {
        guard waiting.load(ordering: .sequentiallyConsistent) > 0 else { return }
        var told: [(waiter: JobWaiter, place: Int)] = []
        table.withLock { table in
            // By their places: most changes are of no interest, and a copy costs more than to find that out.
            for place in changes.indices {
                let id = changes[place].id
                guard let waiters = table.waiters[id] else { continue }
                var left: [JobWaiter] = []
                for waiter in waiters {
                    if waiter.isSatisfied(changes[place]) {
                        told.append((waiter, place))
                    } else {
                        left.append(waiter)
                    }
                }
                table.waiters[id] = left.isEmpty ? nil : left
                table.count -= waiters.count - left.count
            }
            waiting.store(table.count, ordering: .sequentiallyConsistent)
        }
        for (waiter, place) in told { waiter.end(.changed(changes[place])) }
    }

    /// Waits until a change of the job satisfies `isSatisfied`, at most `limit`. Must be called on `loop`, where `then`
    /// is called once, never before this returns.
    ///
    /// A change committed before the call is not seen: read the store after calling. Erasing the job ends the wait in
    /// any case. A wait that is refused ends at once: who waits again must pause before.
    @discardableResult
    package func wait(
        for id: JobID, on loop: EventLoop, atMost limit: Duration,
        until isSatisfied: @escaping @Sendable (JobChange) -> Bool,
        then: @escaping @Sendable (JobWaiter.Ending) -> Void
    ) -> JobWaiter {
        let waiter = JobWaiter(id: id, loop: loop, condition: isSatisfied, then: then)
        let refusal = table.withLock { table -> JobWaiter.Ending? in
            if table.isClosed { return .timedOut }
            if table.count >= waitersMax { return .refused }
            table.waiters[id, default: []].append(waiter)
            table.count += 1
            waiting.store(table.count, ordering: .sequentiallyConsistent)
            return nil
        }
        if let refusal {
            waiter.end(refusal)
            return waiter
        }
        waiter.startTimer(limit) { [weak self] in
            self?.forget(waiter)
            waiter.end(.timedOut)
        }
        return waiter
    }

    /// Cancels a wait. Returns whether `then` was not called and never will be.
    @discardableResult
    package func abandon(_ waiter: JobWaiter) -> Bool {
        forget(waiter)
        return waiter.drop()
    }

    /// Times out all present waits: what they wait for may have been missed.
    package func release() { timeOut(isClosing: false) }

    /// Times out all waits, present and future, when the server stops.
    package func close() { timeOut(isClosing: true) }

    private func timeOut(isClosing: Bool) {
        let all = table.withLock { table in
            let all = table.waiters.values.flatMap(\.self)
            table = Table(isClosed: table.isClosed || isClosing)
            waiting.store(0, ordering: .sequentiallyConsistent)
            return all
        }
        for waiter in all { waiter.end(.timedOut) }
    }

    private func forget(_ waiter: JobWaiter) {
        table.withLock { table in
            guard var waiters = table.waiters[waiter.id] else { return }
            let before = waiters.count
            waiters.removeAll { $0 === waiter }
            table.waiters[waiter.id] = waiters.isEmpty ? nil : waiters
            table.count -= before - waiters.count
            waiting.store(table.count, ordering: .sequentiallyConsistent)
        }
    }
}
