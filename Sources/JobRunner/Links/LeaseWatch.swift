internal import JobKit
internal import Synchronization

/// The lease of this server as far as the server knows, by its own monotonic clock.
///
/// It is counted from the moment in which a renewal was sent, so it ends before others may take the jobs.
final class LeaseWatch: Sendable {
    private let clock: any OperationClock
    private struct Term {
        /// The uptime at which it ends.
        var end: Duration
        /// The time since which it was renewed in time.
        var since: Timestamp
    }

    /// Nil while there is none.
    private let term = Mutex<Term?>(nil)
    private let ended = Mutex<(@Sendable () async -> Void)?>(nil)

    init(clock: any OperationClock) { self.clock = clock }

    /// The uptime at which the lease ends; nil while there is none.
    var endsAt: Duration? { term.withLock { $0?.end } }

    /// Whether jobs may run under the lease.
    var isHeld: Bool { endsAt.map { $0 > clock.uptime } ?? false }

    /// The time since which the lease is held without a break: now when it is not.
    var heldSince: Timestamp {
        let term = term.withLock { $0 }
        return term.flatMap { $0.end > clock.uptime ? $0.since : nil } ?? clock.now
    }

    /// Whether the lease has ended and the runs were not told yet.
    var isOver: Bool { endsAt.map { $0 <= clock.uptime } ?? false }

    /// Notes that the store renewed the lease.
    /// - Parameter sentAt: the uptime at which the renewal was sent.
    func renewed(sentAt: Duration, for length: Duration) {
        let now = clock.now
        term.withLock { term in
            let known = term.flatMap { $0.end > sentAt ? $0 : nil }
            term = Term(end: max(known?.end ?? .zero, sentAt + length), since: known?.since ?? now)
        }
    }

    /// Sets what drops the runs of a lease that has ended.
    func onEnd(_ body: @escaping @Sendable () async -> Void) { ended.withLock { $0 = body } }

    /// Has the runs dropped, and returns when that is done.
    func tellEnd() async { await ended.withLock { $0 }?() }

    /// Has the runs dropped whenever the lease ends, until the task is cancelled.
    /// - Parameter pause: the time between looks while there is no lease.
    func watch(on loop: any EngineLoop, lookingEvery pause: Duration) -> Task<Void, Never> {
        Task(executorPreference: loop) { [self] in
            while !Task.isCancelled {
                let end = endsAt ?? clock.uptime + pause
                do { try await clock.sleep(untilUptime: end) } catch { return }
                await tellEnd()
            }
        }
    }

    /// Has the lease renewed at once and regularly, until it is lost or the task is cancelled.
    /// - Parameter renew: returns whether the lease was renewed.
    func keep(
        on loop: any EngineLoop, by times: RunnerTimes, _ renew: @escaping @Sendable () async -> Bool
    ) -> Task<Void, Never> {
        Task(executorPreference: loop) { [self] in
            while !Task.isCancelled {
                let pause = await renew() ? times.lease / 3 : times.storeRetry
                guard endsAt != nil else { return }
                do { try await clock.sleep(for: pause) } catch { return }
            }
        }
    }

    /// Notes that there is no lease any more.
    func lost() { term.withLock { $0 = nil } }
}
