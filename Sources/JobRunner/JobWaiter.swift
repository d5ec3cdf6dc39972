import EventIO
package import JobKit
package import JobStore
import Synchronization

/// One wait for one job.
package final class JobWaiter: Sendable {
    /// The end of a wait.
    package enum Ending: Sendable {
        /// The change that was waited for came.
        case changed(JobChange)
        /// The time was over first.
        case timedOut

        /// The change, when it came.
        package var change: JobChange? { if case .changed(let change) = self { change } else { nil } }
    }

    /// Which job.
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

    /// Tells the ending on the loop, unless one was told before. From any thread.
    func end(_ ending: Ending) {
        guard let then = take() else { return }
        loop.execute {
            self.timer.withLock { $0 = nil }
            then(ending)
        }
    }

    /// Ends without telling; true unless an ending was told before. From any thread.
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
