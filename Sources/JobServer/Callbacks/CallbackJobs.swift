import DurableJobs
import JobKit
import JobRunner
import JobSpec
import JobStore
import OpenSSLCrypto
import StrictJSON
import TraceFormat

/// The jobs that deliver the callbacks of another job.
enum CallbackJobs {
    /// Makes one job for each callback in the spec that applies to this end; nil for one that cannot be built.
    /// - Throws: `.corrupt` when the stored spec cannot be read.
    static func make(
        for job: JobRecord, _ reader: any JobReader, now: Timestamp, random: RandomWords,
        tracer: Tracer? = nil
    ) throws(JobStoreError) -> [NewJob?] {
        // The job may have been erased meanwhile.
        guard let text = try reader.spec(job.id) else { return [] }
        guard case .success(let spec) = JobSpecReader.readStored(text, now: job.createdAt) else {
            throw JobStoreError(.corrupt, "Its spec cannot be read.")
        }
        let callbacks = spec.callbacks.filter { $0.states.contains(job.state) }
        if callbacks.isEmpty { return [] }
        let event = CallbackEvent.text(job.tenant?.shown(job) ?? job)
        let submission = JobDetail.Submission(trace: tracer.map { trace(of: job, $0) })
        return callbacks.map { callback in
            let bytes = callback.delivery(
                of: event, about: job.id, priority: job.priority, retention: spec.retention
            ).encoded()
            let delivery = AcceptedSpec(stored: bytes, now: now)
            var made = try? delivery?.job(by: "", of: job.tenant, now: now, random: random.pair())
            made?.record.detail.submit { $0 = submission }
            return made
        }
    }

    /// The span of the job that has ended, which is the parent of its callbacks.
    private static func trace(of job: JobRecord, _ tracer: Tracer) -> String {
        let submission = job.detail.trace.flatMap { TraceContext(stored: $0) }
        return JobTrace(of: job, submission: submission, tracer: tracer).root.stored
    }
}
