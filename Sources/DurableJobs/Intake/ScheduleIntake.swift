package import HTTPMessage
package import JobKit
package import JobRunner
package import JobSpec
package import JobStore
package import OpenSSLCrypto
import StrictJSON

/// Makes the jobs of schedules.
package struct ScheduleIntake: Sendable {
    package let egress: EgressPolicy?
    package let kinds: OperationKinds
    package let random: RandomWords
    package var queues: StoredQueues

    package init(
        egress: EgressPolicy?, kinds: OperationKinds, random: RandomWords, queues: StoredQueues
    ) {
        self.egress = egress
        self.kinds = kinds
        self.random = random
        self.queues = queues
    }

    /// The job for one planned time, with the templates as they are now.
    /// - Throws: when the store did not tell what they are, so that nothing is known about the job.
    package func job(
        of schedule: ScheduleSpec, for date: Timestamp, reader: any TemplateReads, now: Timestamp
    ) throws(JobStoreError) -> Result<NewJob, ScheduledJobs.NotMade> {
        let whole = QueueDefaults.spec(of: schedule.job(scheduledFor: date), queues)
        let templates = TemplateBook(reader)
        let read = JobSpecReader.read(
            StoredSpec.submitted(whole), now: now, egress: egress, kinds: kinds, templates: templates.lookup)
        switch read {
        case .failure(let problems):
            if let failure = templates.failure { throw failure }
            return .failure(.init(problems.list.first?.sentence ?? "The spec of the job has problems."))
        case .success(let spec):
            do throws(SpecProblem) {
                return .success(
                    try JobIntake.job(
                        for: spec, from: whole.encoded(), with: templates, now: now, random: random.pair(),
                        by: "the schedule \(schedule.plan.name)"))
            } catch {
                return .failure(.init(error.detail))
            }
        }
    }
}
