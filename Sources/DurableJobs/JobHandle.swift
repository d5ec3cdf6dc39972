public import JobKit
import JobRunner
import JobSpec
import JobStore
import StrictJSON

/// A job of an engine. It holds the id alone, so it may be kept, passed on, and made again by `JobEngine.job(_:)`.
public struct JobHandle<Output: Sendable>: Sendable, Identifiable {
    /// The id of the job, which holds over restarts; `description` writes it and `JobID(_:)` reads it.
    public let id: JobID
    let engine: JobEngine
    private let decode: @Sendable (OperationResult) throws -> Output

    init(id: JobID, engine: JobEngine) where Output == OperationResult {
        self.id = id
        self.engine = engine
        decode = { $0 }
    }

    init<Parameters>(id: JobID, engine: JobEngine, of kind: DurableKind<Parameters, Output>) {
        self.id = id
        self.engine = engine
        decode = { try JSONValue.decode(Output.self, from: $0.body) }
    }

    /// The result; waits until the job has ended. Cancelling the waiting task ends the wait, not the job.
    /// - Throws: the job's error (`AOperationError`) when it did not succeed; `CancellationError` when the waiting task
    ///   was cancelled; `JobEngineError` when the engine stops first or the job was erased; `DecodingError` when the
    ///   stored result is of another type.
    public var value: Output {
        get async throws {
            let record = try await engine.end(of: id)
            guard record.state == .succeeded else {
                throw record.detail.values.errors.first
                    ?? AOperationError(.unexpected, detail: "The job ended as \(record.state.rawValue).")
            }
            return try decode(await engine.result(of: id))
        }
    }

    /// The job as it is now.
    /// - Throws: `JobEngineError`: `notFound` when it was erased, `unavailable`, `stopped`.
    public var status: JobStatus {
        get async throws(JobEngineError) { JobStatus(try await engine.existing(id)) }
    }

    /// The job once it has ended, whatever the end. Cancelling the waiting task ends the wait, not the job.
    /// - Throws: `CancellationError` when the waiting task was cancelled; `JobEngineError` when the engine stops first
    ///   or the job was erased.
    public func waitUntilFinished() async throws -> JobStatus { JobStatus(try await engine.end(of: id)) }

    /// The job now and after each change, until it has ended. States that were left at once may be missing.
    public var changes: JobChanges { JobChanges(id: id, engine: engine) }

    /// Requests the cancellation of the job; returns when the request is durable. A job that runs is stopped by the
    /// cancellation of its task; `waitUntilFinished()` tells when it has ended. A job that has ended stays as it is.
    /// - Parameter reason: the reason in the error of the job, for people. Default: none.
    /// - Throws: `notFound`, `unavailable`, `stopped`.
    public func cancel(reason: String? = nil) async throws(JobEngineError) {
        let request = CancelRequest(
            of: try await engine.existing(id), by: JobEngine.submitter, reason: reason, at: SystemClock().now)
        do throws(JobStoreError) {
            if case .cancelling = try await engine.store.perform(request) {
                engine.runner.take([RunRequest(request)])
            }
        } catch {
            throw engine.failure(error)
        }
    }

    /// Runs a job again that failed, was cancelled or expired; steps that succeeded are kept. Returns when that is
    /// durable.
    /// - Throws: `wrongState` for a job in another state, `notFound`, `unavailable`, `stopped`.
    public func retry() async throws(JobEngineError) {
        let entry = JournalEntry(at: SystemClock().now, path: [], event: .retried(by: JobEngine.submitter))
        do throws(JobStoreError) {
            try await engine.store.perform(JobRetry(id, journal: entry))
        } catch {
            throw engine.failure(error)
        }
    }
}
