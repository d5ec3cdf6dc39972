import CEvent

/// Calls a function on a loop whenever a signal arrives, such as `SIGTERM`. Dropping the watcher ends it and gives
/// the signal its former meaning back.
///
/// Only one loop of a process watches signals; another one that begins to takes them all over.
package final class SignalWatcher: Sendable {
    private let event: LoopEvent

    /// A watcher that is active at once. To be made on the loop, or before the loop starts.
    ///
    /// - Parameters:
    ///   - signal: a signal that can be caught.
    ///   - handler: called on the loop's thread as an ordinary function, so it may do anything. Signals that arrive
    ///     in a burst may be told as one.
    package init(loop: EventLoop, signal: CInt, handler: @escaping () -> Void) {
        precondition(loop.isConfined, "A signal watcher is made on its loop")
        event = LoopEvent(loop: loop, descriptor: signal, flags: EV_SIGNAL | EV_PERSIST) { _ in handler() }
        event.add()
    }
}
