import CEvent

/// Calls a function on a loop after some time, once or repeatedly. Monotonic time.
///
/// For use on the loop's thread (or before the loop starts). Releasing the timer cancels it.
package final class LoopTimer: Sendable {
    private let event: LoopEvent
    private let target: TimerTarget

    /// Creates an unscheduled timer.
    ///
    /// - Parameter handler: called on the loop each time the timer fires.
    package init(loop: EventLoop, handler: @escaping () -> Void) {
        let target = TimerTarget(handler)
        self.target = target
        event = LoopEvent(loop: loop, descriptor: -1, flags: 0) { _ in target.fire() }
        target.event = event
    }

    /// Fires once after `delay`, replacing an earlier schedule. Zero or less fires in the next turn.
    package func schedule(after delay: Duration) {
        set(delay, interval: nil)
    }

    /// Fires every `interval`, first after one interval, replacing an earlier schedule. Missed firings are skipped.
    package func schedule(every interval: Duration) {
        set(interval, interval: interval)
    }

    package func cancel() {
        precondition(event.loop.isConfined, "A timer is set on its loop")
        target.interval = nil
        event.remove()
    }

    package var isScheduled: Bool { event.isPending }

    private func set(_ delay: Duration, interval: Duration?) {
        precondition(event.loop.isConfined, "A timer is set on its loop")
        target.interval = interval
        event.add(timeout: delay)
    }
}

/// The target of a timer's event. It does not retain the event, so that releasing the timer cancels it.
// Safe because it is only touched on the loop.
private final class TimerTarget: @unchecked Sendable {
    private let handler: () -> Void
    weak var event: LoopEvent?
    var interval: Duration?

    init(_ handler: @escaping () -> Void) {
        self.handler = handler
    }

    func fire() {
        guard let event else { return }
        if let interval { event.add(timeout: interval) }
        handler()
    }
}
