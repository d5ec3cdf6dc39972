/// A clock that calls back, so that an operation that does nothing but wait needs no task.
package protocol AlarmClock: OperationClock {
    /// The number of an alarm, which no other one has.
    func newAlarm() -> UInt64

    /// Calls `action` once when `end` has come, on any thread. It must be short.
    func setAlarm(_ number: UInt64, at end: WaitEnd, _ action: @escaping @Sendable () -> Void)

    /// Removes an alarm and its action, if they are still there.
    func removeAlarm(_ number: UInt64)
}

/// The end of a wait: of a task, or of an operation without one.
enum AlarmWaker {
    case task(CheckedContinuation<Void, any Error>)
    case action(@Sendable () -> Void)

    func wake() {
        switch self {
        case .task(let continuation): continuation.resume()
        case .action(let action): action()
        }
    }

    /// Ends the wait of a task that was cancelled.
    func refuse() {
        if case .task(let continuation) = self { continuation.resume(throwing: CancellationError()) }
    }
}
