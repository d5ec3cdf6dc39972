import CEvent

/// Calls a function on a loop whenever a signal arrives, such as `SIGTERM`. Releasing the watcher cancels it and
/// restores the signal's previous disposition.
///
/// Only one loop of a process can watch signals; a second one takes them all over.
package final class SignalWatcher: Sendable {
    private let event: LoopEvent

    /// Creates an active watcher. On the loop, or before the loop starts.
    ///
    /// - Parameters:
    ///   - signal: a signal that can be caught.
    ///   - handler: called on the loop's thread as an ordinary function, so it may do anything. A burst of signals may
    ///     be reported as one.
    package init(loop: EventLoop, signal: CInt, handler: @escaping () -> Void) {
        precondition(loop.isConfined, "A signal watcher is made on its loop")
        event = LoopEvent(loop: loop, descriptor: signal, flags: EV_SIGNAL | EV_PERSIST) { _ in handler() }
        event.add()
    }
}
