import CEvent

/// Calls a function on a loop while a descriptor is ready to be read or written (level-triggered: again in every turn
/// until the readiness is consumed or the interest ends). Releasing the watcher cancels it; the descriptor stays open.
///
/// For use on the loop's thread (or before the loop starts).
// Safe because `event` and `interest` are only touched on the loop.
package final class DescriptorWatcher: @unchecked Sendable {
    /// The directions of interest.
    package struct Interest: OptionSet, Sendable, Hashable {
        /// The bits: 1 read, 2 write.
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Readable, or the peer has disconnected.
        package static let read = Interest(rawValue: 1)
        /// Writable, or the peer has disconnected.
        package static let write = Interest(rawValue: 2)
    }

    package let descriptor: CInt
    private let loop: EventLoop
    private let handler: (Interest) -> Void
    private var interest: Interest = []
    private var event: LoopEvent?

    /// Creates an inactive watcher.
    ///
    /// - Parameter handler: called on the loop with the directions that are ready.
    package init(loop: EventLoop, descriptor: CInt, handler: @escaping (Interest) -> Void) {
        self.loop = loop
        self.descriptor = descriptor
        self.handler = handler
    }

    /// Watches for exactly `interest` from now on.
    package func watch(_ interest: Interest) {
        precondition(loop.isConfined, "A descriptor is watched on its loop")
        guard interest != self.interest else { return }
        self.interest = interest
        // The old event must go before the new one is added: the kernel accepts a descriptor once.
        event = nil
        guard !interest.isEmpty else { return }
        let flags =
            EV_PERSIST | (interest.contains(.read) ? EV_READ : 0) | (interest.contains(.write) ? EV_WRITE : 0)
        let handler = self.handler
        let event = LoopEvent(loop: loop, descriptor: descriptor, flags: flags) { what in
            var ready: Interest = []
            if what & CShort(EV_READ) != 0 { ready.insert(.read) }
            if what & CShort(EV_WRITE) != 0 { ready.insert(.write) }
            handler(ready)
        }
        event.add()
        self.event = event
    }

    /// Stops watching. The descriptor may be closed afterwards.
    package func cancel() {
        watch([])
    }
}
