internal import Synchronization

/// The state of an engine, which its parts share.
final class RunnerBoard: Sendable {
    private let state = Mutex(RunnerState())

    func withLock<Value, Failure: Error>(
        _ body: (inout sending RunnerState) throws(Failure) -> sending Value
    ) throws(Failure) -> sending Value {
        try state.withLock(body)
    }
}
