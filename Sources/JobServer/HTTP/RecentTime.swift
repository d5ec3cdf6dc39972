import StoreThreads
import Synchronization

/// The processor time that each tenant or client has used lately, which decides whose requests give way to others'.
struct RecentTime: Sendable {
    /// The time above which an owner has used much. It halves with each second, so this is 7 % of a processor.
    static let much = Duration.milliseconds(100)
    /// The number of owners at which those that used little are forgotten.
    private static let ownersMax = 1_000

    private struct Use {
        var time: Duration
        var since: ContinuousClock.Instant

        /// Halves the time for each second that has passed.
        mutating func age(to now: ContinuousClock.Instant) {
            let seconds = min(since.duration(to: now).components.seconds, 40)
            guard seconds > 0 else { return }
            time /= 1 << seconds
            since = now
        }
    }

    private var used: [String: Use] = [:]

    /// Notes that requests of an owner took so much time.
    mutating func add(_ time: Duration, of owner: String, at now: ContinuousClock.Instant) {
        if used[owner] == nil, used.count >= Self.ownersMax { forget(at: now) }
        var use = used[owner] ?? Use(time: .zero, since: now)
        use.age(to: now)
        use.time += time
        used[owner] = use
    }

    /// Whether an owner has used much lately.
    func isMuch(of owner: String, at now: ContinuousClock.Instant) -> Bool {
        guard var use = used[owner] else { return false }
        use.age(to: now)
        return use.time > Self.much
    }

    private mutating func forget(at now: ContinuousClock.Instant) {
        used = used.compactMapValues { use in
            var use = use
            use.age(to: now)
            return use.time > .milliseconds(1) ? use : nil
        }
    }
}

/// The same for the threads of a server.
final class RecentTimes: Sendable {
    private let times = Mutex(RecentTime())

    /// Whether an owner has used much lately.
    func isMuch(of owner: String) -> Bool { times.withLock { $0.isMuch(of: owner, at: .now) } }

    /// Notes the time of `work`, which runs on the caller's thread.
    func measure(_ owner: String, _ work: () -> Void) {
        let before = OSThread.spent
        work()
        let time = OSThread.spent - before
        times.withLock { $0.add(time, of: owner, at: .now) }
    }
}
