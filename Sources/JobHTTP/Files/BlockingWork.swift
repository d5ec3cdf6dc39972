internal import Dispatch
internal import JobKit

/// Runs what waits for a disk on a thread that may wait.
enum BlockingWork {
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(ArtifactFailure) -> Value
    ) async throws(ArtifactFailure) -> Value {
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result<Value, ArtifactFailure>(catching: work))
            }
        }
        return try result.get()
    }
}
