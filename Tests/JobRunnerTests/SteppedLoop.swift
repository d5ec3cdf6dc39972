import EventIO
import JobKit
import Synchronization

@testable import JobRunner

/// An event loop whose time only a test advances.
final class SteppedLoop: EngineLoop {
    private let loop: EventLoop
    /// The clock of the loop.
    let time: ManualClock

    init(on loop: EventLoop, time: ManualClock) {
        self.loop = loop
        self.time = time
    }

    var clock: any OperationClock { time }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    func execute(_ function: @escaping @Sendable () -> Void) { loop.execute(function) }

    func makeTimer(_ handler: @escaping @Sendable () -> Void) -> any EngineTimer {
        SteppedTimer(loop: self, handler: handler)
    }
}

/// A timer of such a loop.
private final class SteppedTimer: EngineTimer {
    private let loop: SteppedLoop
    private let handler: @Sendable () -> Void
    private let setting = Mutex<Task<Void, any Error>?>(nil)

    init(loop: SteppedLoop, handler: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.handler = handler
    }

    deinit { setting.withLock { $0 }?.cancel() }

    func schedule(after delay: Duration) { set(delay, repeats: false) }

    func schedule(every interval: Duration) { set(interval, repeats: true) }

    private func set(_ delay: Duration, repeats: Bool) {
        var date = loop.time.now.advanced(by: delay)
        let task = Task(executorPreference: loop) { [loop, handler] in
            repeat {
                try await loop.time.sleep(until: date)
                loop.execute(handler)
                date = date.advanced(by: delay)
            } while repeats
        }
        setting.withLock { setting in
            setting?.cancel()
            setting = task
        }
    }
}
