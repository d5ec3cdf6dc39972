import Synchronization

extension EventLoop {
    /// Sleeps for `duration` on the monotonic clock, without blocking a thread. From any executor.
    ///
    /// - Throws: `CancellationError` as soon as the loop ends or the task is cancelled, also if it was before the call.
    package func sleep(for duration: Duration) async throws {
        let sleeper = LoopSleeper(loop: self)
        try await withTaskCancellationHandler {
            try await unsafe withUnsafeThrowingContinuation { continuation in
                unsafe sleeper.begin(unsafe continuation, for: duration)
            }
        } onCancel: {
            sleeper.cancel()
        }
    }
}

/// A sleeping task, from its call until it is woken by time or by cancellation, whichever is first.
// Safe because `event` is only touched on the loop and the rest is behind the mutex.
final class LoopSleeper: @unchecked Sendable {
    private enum State {
        case new
        case asleep(SleepContinuation)
        case over
    }

    private let loop: EventLoop
    private let state = Mutex(State.new)
    private var event: LoopEvent?

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Stores the continuation and starts the timer.
    func begin(_ continuation: UnsafeContinuation<Void, any Error>, for duration: Duration) {
        let continuation = unsafe SleepContinuation(continuation: continuation)
        let isCancelled = state.withLock { state in
            if case .over = state { return true }
            state = .asleep(continuation)
            return false
        }
        if isCancelled {
            continuation.resume(cancelled: true)
        } else {
            loop.onLoop { self.arm(duration) }
        }
    }

    /// Wakes the task with `CancellationError`. From any thread.
    func cancel() {
        if end(cancelled: true) {
            loop.onLoop { self.disarm() }
        }
    }

    private func arm(_ duration: Duration) {
        let isAsleep = state.withLock { state in
            if case .asleep = state { true } else { false }
        }
        guard isAsleep else { return }
        guard loop.add(self) else {
            _ = end(cancelled: true)
            return
        }
        // The event and the sleeper retain each other until one of the two ends.
        let event = LoopEvent(loop: loop, descriptor: -1, flags: 0) { _ in
            self.disarm()
            _ = self.end(cancelled: false)
        }
        self.event = event
        event.add(timeout: duration)
    }

    private func disarm() {
        event = nil
        loop.remove(self)
    }

    /// Ends the sleep. Returns whether this call woke the task.
    private func end(cancelled: Bool) -> Bool {
        let continuation = state.withLock { state in
            defer { state = .over }
            if case .asleep(let continuation) = state { return Optional(continuation) }
            return nil
        }
        continuation?.resume(cancelled: cancelled)
        return continuation != nil
    }
}

/// The continuation of a sleeping task.
// Safe because `Sleeper` takes it out of its state before the one time that it is resumed.
@safe
private struct SleepContinuation: @unchecked Sendable {
    let continuation: UnsafeContinuation<Void, any Error>

    func resume(cancelled: Bool) {
        if cancelled {
            unsafe continuation.resume(throwing: CancellationError())
        } else {
            unsafe continuation.resume()
        }
    }
}
