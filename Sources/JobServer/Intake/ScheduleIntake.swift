import HTTPMessage
import JobKit
import JobRunner
import JobSpec
import JobStore
import StrictJSON

/// Makes the jobs of schedules.
struct ScheduleIntake: Sendable {
    let egress: EgressPolicy
    let kinds: OperationKinds
    let random: RandomWords
    var queues: StoredQueues

    /// The job for one planned time, with the templates as they are now.
    func job(
        of schedule: ScheduleSpec, for date: Timestamp, reader: any TemplateReads, now: Timestamp
    ) -> Result<NewJob, ScheduledJobs.NotMade> {
        let whole = QueueDefaults.spec(of: schedule.job(scheduledFor: date), queues)
        let templates = TemplateBook(reader)
        let read = JobSpecReader.read(
            StoredSpec.submitted(whole), now: now, egress: egress, kinds: kinds, templates: templates.lookup)
        switch read {
        case .failure(let problems):
            return .failure(.init(problems.list.first?.sentence ?? "The spec of the job has problems."))
        case .success(let spec):
            do throws(Problem) {
                let text = try templates.pinned(in: whole.encoded(), now: now)
                var job = JobIntake.job(for: spec, from: text, now: now, random: random.pair())
                job.unique = spec.unique.map {
                    UniqueKey.claim($0, of: job.record, by: "the schedule \(schedule.plan.name)")
                }
                return .success(job)
            } catch {
                return .failure(.init(error.detail))
            }
        }
    }
}
