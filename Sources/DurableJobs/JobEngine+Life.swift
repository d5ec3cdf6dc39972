import JobRunner
import Synchronization

extension JobEngine {
    /// Returns when the task is cancelled or `stop()` was called, after the jobs have been drained.
    ///
    /// For a service lifecycle: with swift-service-lifecycle, the `run()` of a `Service` calls
    /// `await cancelWhenGracefulShutdown { await jobs.run() }`.
    public func run() async {
        for await _ in feed.end() {}
        await stop()
    }

    /// Stops the engine, and returns when it has stopped: no further job begins, running ones get the time of
    /// `Options.drainTimeout` to end, and those that do not are left to the next start. Waits and streams then end, and
    /// the directory is free. A second call waits for the first.
    public func stop() async {
        let task = stopping.withLock { stopping -> Task<Void, Never> in
            let task =
                stopping
                ?? Task {
                    await self.runner.drain(within: self.drainTimeout)
                    await self.close()
                }
            stopping = task
            return task
        }
        await task.value
    }

    /// Whether a stop has begun.
    var isStopping: Bool { stopping.withLock { $0 != nil } }
}
