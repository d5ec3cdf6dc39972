package import EventIO
package import JobKit

/// The machine's clock with sleeps on the engine's loop.
package struct LoopClock: OperationClock {
    private let loop: EventLoop

    package init(loop: EventLoop) { self.loop = loop }

    package var now: Timestamp { SystemClock().now }

    /// The remaining time, to less than a microsecond.
    package func remaining(until date: Timestamp) -> Duration { SystemClock().remaining(until: date) }

    /// The time of the continuous clock.
    package var uptime: Duration { SystemClock().uptime }

    /// Sleeps in timers of the loop, which may fire a little early.
    package func sleep(untilUptime end: Duration) async throws {
        var left = end - uptime
        while left > .zero {
            try await loop.sleep(for: left)
            left = end - uptime
        }
    }

    package func sleep(for duration: Duration) async throws {
        guard duration > .zero else { return }
        try await loop.sleep(for: duration)
    }
}
