public import JobKit
import JobRunner
import JobStore

extension JobEngine {
    /// A job of this or an earlier process, by its id.
    /// - Returns: the job; nil when there is none. Jobs are erased when their retention has ended: 7 days after a
    ///   success and 30 days after any other end, unless the spec says otherwise.
    /// - Throws: `unavailable`, `stopped`.
    public func job(_ id: JobID) async throws(JobEngineError) -> JobHandle<OperationResult>? {
        try await record(id) == nil ? nil : JobHandle(id: id, engine: self)
    }

    /// A job of this or an earlier process, by its id, with the result of a kind.
    /// - Returns: the job; nil when there is none of this kind.
    /// - Throws: `unavailable`, `stopped`.
    public func job<Parameters, Output>(
        _ id: JobID, of kind: DurableKind<Parameters, Output>
    ) async throws(JobEngineError) -> JobHandle<Output>? {
        try await record(id)?.type == kind.name ? JobHandle(id: id, engine: self, of: kind) : nil
    }

    /// A page of the jobs, finished ones included, the newest first.
    /// - Parameter query: the jobs to list. Default: all.
    /// - Throws: `unavailable`, `stopped`.
    public func list(_ query: JobQuery = JobQuery()) async throws(JobEngineError) -> JobList {
        let stored = query.stored
        let page = try await read { reader throws(JobStoreError) in try reader.list(stored) }
        return JobList(jobs: page.jobs.map(JobStatus.init), next: page.next?.id)
    }

    /// The changes of all jobs from now on, in order, until the engine has stopped. A change is reported when it is
    /// durable. A stream keeps 10,000 events that were not read; then it loses the oldest, and `missed` of the next
    /// event tells how many. A stream that is read no more costs nothing.
    public var events: AsyncStream<JobEvent> { feed.events(eventsMax: 10_000) }

    func record(_ id: JobID) async throws(JobEngineError) -> JobRecord? {
        try await read { reader throws(JobStoreError) in try reader.job(id) }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any JobReader) throws(JobStoreError) -> Value
    ) async throws(JobEngineError) -> Value {
        do throws(JobStoreError) { return try await store.read(body) } catch { throw failure(error) }
    }

    /// The job once it has ended.
    /// - Throws: `notFound`, `stopped`; `CancellationError` when the task was cancelled; the errors of `whileAwaited`.
    func end(of id: JobID) async throws -> JobRecord {
        let changes = feed.latest(of: id)
        let record = try await existing(id)
        if record.state.isFinal { return record }
        return try await runner.waits.whileAwaited(id) {
            for await change in changes where change.state?.isFinal ?? true {
                // It may have been retried since.
                let record = try await existing(id)
                if record.state.isFinal { return record }
            }
            try Task.checkCancellation()
            throw JobEngineError.stopped
        }
    }

    func existing(_ id: JobID) async throws(JobEngineError) -> JobRecord {
        guard let record = try await record(id) else { throw JobEngineError(JobStoreError.notFound(id)) }
        return record
    }

    /// The result of a job that succeeded.
    func result(of id: JobID) async throws(JobEngineError) -> OperationResult {
        try await read { reader throws(JobStoreError) in try reader.result(id) } ?? .empty
    }
}
