import JobKit
import Synchronization

/// What the writer thread shows to everybody else.
final class StoreBoard: Sendable {
    private struct Notices: Sendable {
        var counts: [JobState: Int] = [:]
        var observer: (@Sendable ([JobChange]) -> Void)?
        var isClosed = false
        var hasEnded = false
        var waitingForEnd: [@Sendable () -> Void] = []
    }

    private let notices = Mutex(Notices())

    /// The counts after the last commit.
    var counts: [JobState: Int] {
        get { notices.withLock { $0.counts } }
        set { notices.withLock { $0.counts = newValue } }
    }

    /// Whom to tell of commits.
    var observer: (@Sendable ([JobChange]) -> Void)? {
        get { notices.withLock { $0.observer } }
        set { notices.withLock { $0.observer = newValue } }
    }

    /// Whether `close` was called.
    var isClosed: Bool { notices.withLock { $0.isClosed } }

    /// Notes that `close` was called.
    func close() { notices.withLock { $0.isClosed = true } }

    /// Notes that the writer has ended, and tells who waited for it.
    func end() {
        let waiting = notices.withLock { notices in
            notices.hasEnded = true
            defer { notices.waitingForEnd = [] }
            return notices.waitingForEnd
        }
        for tell in waiting { tell() }
    }

    /// Calls `tell` when the writer has ended, at once when it already has.
    func whenEnded(_ tell: @escaping @Sendable () -> Void) {
        let isOver = notices.withLock { notices in
            if !notices.hasEnded { notices.waitingForEnd.append(tell) }
            return notices.hasEnded
        }
        if isOver { tell() }
    }
}
