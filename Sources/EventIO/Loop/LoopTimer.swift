import CEvent

/// Calls a function on a loop after some time, once or again and again. Monotonic time.
///
/// For use on the loop's thread (or before the loop starts). Dropping the timer ends it.
package final class LoopTimer: Sendable {
    private let event: LoopEvent
    private let target: TimerTarget

    /// A timer that is not set.
    ///
    /// - Parameter handler: called on the loop each time the timer fires.
    package init(loop: EventLoop, handler: @escaping () -> Void) {
        let target = TimerTarget(handler)
        self.target = target
        event = LoopEvent(loop: loop, descriptor: -1, flags: 0) { _ in target.fire() }
        target.event = event
    }

    /// Fires once, `delay` from now; a setting made before is forgotten. Zero or less fires in the next turn.
    package func schedule(after delay: Duration) {
        set(delay, interval: nil)
    }

    /// Fires every `interval`, first one interval from now; a setting made before is forgotten. Missed firings are
    /// not made up for.
    package func schedule(every interval: Duration) {
        set(interval, interval: interval)
    }

    /// Does not fire any more until set again.
    package func cancel() {
        precondition(event.loop.isConfined, "A timer is set on its loop")
        target.interval = nil
        event.remove()
    }

    /// Whether the timer is going to fire.
    package var isScheduled: Bool { event.isPending }

    private func set(_ delay: Duration, interval: Duration?) {
        precondition(event.loop.isConfined, "A timer is set on its loop")
        target.interval = interval
        event.add(timeout: delay)
    }
}

/// What a timer's event calls. It does not hold the event, so that dropping the timer ends it.
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
