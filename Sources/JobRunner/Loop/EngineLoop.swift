package import JobKit

/// The loop of the engine: it runs operations one at a time, and provides a clock and timers.
///
/// The server passes an `EventLoop`; the simulation passes a loop with virtual time.
package protocol EngineLoop: TaskExecutor {
    /// The time of the loop, and its sleeps.
    var clock: any OperationClock { get }

    /// Runs `function` on the loop, after all functions submitted before. From any thread.
    func execute(_ function: @escaping @Sendable () -> Void)

    /// Creates an executor whose tasks run on the loop in turn with those of others, however many each has.
    func makeShare() -> any TaskExecutor

    /// Creates a timer that is not scheduled.
    /// - Parameter handler: called on the loop each time the timer fires.
    func makeTimer(_ handler: @escaping @Sendable () -> Void) -> any EngineTimer
}

extension EngineLoop {
    /// The loop itself: all its tasks take turns.
    package func makeShare() -> any TaskExecutor { self }
}

/// Calls a function on a loop after some time. For use on the loop; releasing it cancels it.
package protocol EngineTimer: Sendable {
    /// Fires once after `delay`, replacing an earlier schedule. Zero or less fires as soon as possible.
    func schedule(after delay: Duration)

    /// Fires every `interval`, first after one interval, replacing an earlier schedule.
    func schedule(every interval: Duration)
}
