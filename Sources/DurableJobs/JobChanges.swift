import JobKit
import JobRunner
import JobStore

/// A job now and after each change, until it has ended.
public struct JobChanges: AsyncSequence, Sendable {
    /// The job after a change.
    public typealias Element = JobStatus

    let id: JobID
    let engine: JobEngine

    /// Begins to observe the job.
    public func makeAsyncIterator() -> Iterator {
        Iterator(id: id, engine: engine, events: engine.feed.latest(of: id).makeAsyncIterator())
    }

    /// One observation.
    public struct Iterator: AsyncIteratorProtocol {
        let id: JobID
        let engine: JobEngine
        fileprivate var events: AsyncStream<JobEvent>.Iterator
        private var revision: Int64 = 0
        private var isOver = false

        fileprivate init(id: JobID, engine: JobEngine, events: AsyncStream<JobEvent>.Iterator) {
            self.id = id
            self.engine = engine
            self.events = events
        }

        /// The job after the next change; nil after its end, and when the task is cancelled.
        /// - Throws: `JobEngineError`: `notFound` when the job was erased, `stopped` when the engine stops first.
        public mutating func next() async throws(JobEngineError) -> JobStatus? {
            while !isOver {
                if revision > 0 {
                    let pause = engine.runner.waits.pauseOfTask()
                    let event = await events.next(isolation: #isolation)
                    await pause?.end()
                    guard event != nil else {
                        if Task.isCancelled { return nil }
                        throw .stopped
                    }
                }
                let record = try await engine.existing(id)
                isOver = record.state.isFinal
                // Two changes may have been read at once.
                if record.revision == revision { continue }
                revision = record.revision
                return JobStatus(record)
            }
            return nil
        }
    }
}
