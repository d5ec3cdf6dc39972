package import JobKit

/// The loop of the engine: it runs operations, and has a clock and timers. One thread at a time.
///
/// The server gives an `EventLoop`; a simulation gives a loop of its own, whose time is not that of the machine.
package protocol EngineLoop: TaskExecutor {
    /// The time of the loop, and its sleeps.
    var clock: any AOperationClock { get }

    /// Runs `function` on the loop, soon, after what was given to it before. From any thread.
    func execute(_ function: @escaping @Sendable () -> Void)

    /// A timer that is not set.
    /// - Parameter handler: called on the loop each time the timer fires.
    func makeTimer(_ handler: @escaping @Sendable () -> Void) -> any EngineTimer
}

/// Calls a function on a loop after some time. For use on the loop; dropping it ends it.
package protocol EngineTimer: Sendable {
    /// Fires once, `delay` from now; a setting made before is forgotten. Zero or less fires soon.
    func schedule(after delay: Duration)

    /// Fires every `interval`, first one interval from now; a setting made before is forgotten.
    func schedule(every interval: Duration)
}
