package import EventIO
package import JobKit

extension EventLoop: EngineLoop {
    /// The machine's clock with sleeps on this loop.
    package var clock: any OperationClock { LoopClock(loop: self) }

    package func makeShare() -> any TaskExecutor { LoopShare(of: self) }

    package func makeTimer(_ handler: @escaping @Sendable () -> Void) -> any EngineTimer {
        LoopTimer(loop: self, handler: handler)
    }
}

extension LoopTimer: EngineTimer {}
