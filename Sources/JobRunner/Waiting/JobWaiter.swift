import EventIO
package import JobKit
package import JobStore
import Synchronization

/// One wait for one job.
package final class JobWaiter: Sendable {
    /// The end of a wait.
    package enum Ending: Sendable {
        /// The awaited change.
        case changed(JobChange)
        case timedOut
        /// As many wait as may, so nothing was waited for.
        case refused

        /// The awaited change; nil without one.
        package var change: JobChange? { if case .changed(let change) = self { change } else { nil } }
    }

    package let id: JobID
    private let loop: EventLoop
    private let condition: @Sendable (JobChange) -> Bool
    private let then: Mutex<(@Sendable (Ending) -> Void)?>
    private let timer = Mutex<LoopTimer?>(nil)

    init(
        id: JobID, loop: EventLoop, condition: @escaping @Sendable (JobChange) -> Bool,
        then: @escaping @Sendable (Ending) -> Void
    ) {
        self.id = id
        self.loop = loop
        self.condition = condition
        self.then = Mutex(then)
    }

    func isSatisfied(_ change: JobChange) -> Bool { change.state == nil || condition(change) }

    /// On the loop only.
    func startTimer(_ limit: Duration, _ fire: @escaping () -> Void) {
        let timer = LoopTimer(loop: loop, handler: fire)
        timer.schedule(after: limit)
        self.timer.withLock { $0 = timer }
    }

    /// Reports the ending on the loop, unless one was reported before. From any thread.
    func end(_ ending: Ending) {
        guard let then = take() else { return }
        loop.execute {
            self.timer.withLock { $0 = nil }
            then(ending)
        }
    }

    /// Ends without reporting. Returns whether no ending was reported before. From any thread.
    func drop() -> Bool {
        guard take() != nil else { return false }
        loop.execute { self.timer.withLock { $0 = nil } }
        return true
    }

    private func take() -> (@Sendable (Ending) -> Void)? {
        then.withLock { then in
            defer { then = nil }
            return then
        }
    }
}
