import JobKit
package import JobRunner
import JobSpec
package import JobStore

/// The unique key of a job, which one unfinished job holds at a time.
package enum UniqueKey {
    /// The claim of a new job's unique key, which `by` submits.
    static func claim(_ unique: JobSpec.Unique, of job: JobRecord, by: String) -> UniqueClaim {
        let (id, at) = (job.id, job.createdAt)
        return UniqueClaim(
            key: unique.key, onConflict: unique.onConflict,
            stopping: { other in
                CancelRequest(
                    of: other, by: by, reason: "Job \(id) took its unique key.", at: at,
                    code: .cancelledReplaced)
            })
    }

    /// Stops the runs of jobs that a new holder of their unique key replaced. From any thread.
    package static func stopReplaced(
        by outcome: Result<SubmitOutcome, JobStoreError>, _ engine: any RunControl
    ) {
        guard case .success(.replacing(_, let stopping)) = outcome else { return }
        engine.take(stopping)
    }
}
