package import EventIO
package import JobKit
package import JobStore
import Synchronization

// DESIGN
// The store tells of every commit, on its own thread. While none waits, that costs one atomic load per commit. A
// waiter registers first and looks at the store afterwards (its owner does), so that no change falls between; it is
// told once: on its loop, of the first change that it waits for, or that its time is over.

/// Wakes those that wait for a job when it changes.
package final class JobWatch: Sendable {
    /// The most that may wait at once; beyond, a wait ends at once as if its time were over. Default 20,000.
    package static let waitersMax = 20_000

    private struct Table {
        var waiters: [JobID: [JobWaiter]] = [:]
        var count = 0
        /// No further wait is begun.
        var isClosed = false
    }

    private let table = Mutex(Table())
    private let waiting = Atomic<Int>(0)

    /// A watch without waits.
    package init() {}

    /// The number of waits.
    package var waitingCount: Int { waiting.load(ordering: .relaxed) }

    /// Takes the changes of one commit. From any thread.
    package func observe(_ changes: [JobChange]) {
        guard waiting.load(ordering: .sequentiallyConsistent) > 0 else { return }
        var told: [(JobWaiter, JobChange)] = []
        table.withLock { table in
            for change in changes {
                guard let waiters = table.waiters[change.id] else { continue }
                let left = waiters.filter { !$0.isSatisfied(change) }
                for waiter in waiters where waiter.isSatisfied(change) { told.append((waiter, change)) }
                table.waiters[change.id] = left.isEmpty ? nil : left
                table.count -= waiters.count - left.count
            }
            waiting.store(table.count, ordering: .sequentiallyConsistent)
        }
        for (waiter, change) in told { waiter.end(.changed(change)) }
    }

    /// Waits until a change of the job satisfies `isSatisfied`, at most `limit`. To be called on `loop`, where `then`
    /// is called once, never before this returns.
    ///
    /// A change that was committed before the call is not seen: look at the store after calling. A job that is erased
    /// ends the wait in any case.
    @discardableResult
    package func wait(
        for id: JobID, on loop: EventLoop, atMost limit: Duration,
        until isSatisfied: @escaping @Sendable (JobChange) -> Bool,
        then: @escaping @Sendable (JobWaiter.Ending) -> Void
    ) -> JobWaiter {
        let waiter = JobWaiter(id: id, loop: loop, condition: isSatisfied, then: then)
        let registered = table.withLock { table in
            guard table.count < JobWatch.waitersMax, !table.isClosed else { return false }
            table.waiters[id, default: []].append(waiter)
            table.count += 1
            waiting.store(table.count, ordering: .sequentiallyConsistent)
            return true
        }
        guard registered else {
            waiter.end(.timedOut)
            return waiter
        }
        waiter.startTimer(limit) { [weak self] in
            self?.forget(waiter)
            waiter.end(.timedOut)
        }
        return waiter
    }

    /// Cancels a wait. True when `then` was not called and never will be.
    @discardableResult
    package func abandon(_ waiter: JobWaiter) -> Bool {
        forget(waiter)
        return waiter.drop()
    }

    /// Ends all waits, and those to come, as if their time were over. For a server that stops.
    package func close() {
        let all = table.withLock { table in
            let all = table.waiters.values.flatMap(\.self)
            table = Table(isClosed: true)
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
