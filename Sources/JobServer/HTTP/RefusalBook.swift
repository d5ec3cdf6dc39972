import JobKit
import StrictJSON
import Synchronization

// DESIGN
// Anyone may send forged requests, as many as the network carries. Each is answered with 401 and counted in a metric; a
// few are written down, with their bodies, so that a person sees the cause and can send a mistaken one again. The
// next that is written down says how many it stands for.

/// Decides which refused requests are written down: some at once for each hook, then one from time to time.
final class RefusalBook: Sendable {
    static let burst = 20
    static let every = Duration.seconds(300)
    /// The largest body of a refused request that is kept.
    static let bodyMax = 64 << 10

    private struct Entry {
        var left = RefusalBook.burst
        var since: Timestamp
        var passed: Int64 = 0
    }

    private let entries = Mutex<[ByteKey: Entry]>([:])

    /// The number of requests that a record of this one stands for; nil when it is only counted.
    /// - Parameter hook: the stored name of a hook that exists, so that there are no more entries than hooks.
    func note(_ hook: String, at now: Timestamp) -> Int64? {
        entries.withLock { entries in
            let key = ByteKey(hook)
            var entry = entries[key] ?? Entry(since: now)
            defer { entries[key] = entry }
            let passed = max(0, now.since(entry.since) / Self.every)
            if passed >= 1 {
                entry.left = min(Self.burst, entry.left + Int(passed))
                entry.since = now
            }
            guard entry.left > 0 else {
                entry.passed += 1
                return nil
            }
            entry.left -= 1
            defer { entry.passed = 0 }
            return entry.passed + 1
        }
    }
}
