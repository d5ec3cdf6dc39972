import DurableJobs
import JobKit
import JobSpec
import JobStore

/// The spec of an ended job submitted again, as the job was accepted: with the templates of that time, and without
/// operations that were added to it.
struct Resubmission: Sendable {
    let spec: JobSpec
    let job: NewJob

    /// Nil for a spec that is damaged or of another version.
    /// - Parameter text: the stored spec.
    init?(of old: JobRecord, _ text: [UInt8], at now: Timestamp, random: (UInt64, UInt64), by: String) {
        guard case .success(let spec) = JobSpecReader.readStored(text, now: now) else { return nil }
        var new = JobIntake.job(for: spec, from: text, now: now, random: random)
        new.unique = spec.unique.map { UniqueKey.claim($0, of: new.record, by: by) }
        new.note(createdBy: by)
        old.tenant?.stamp(&new)
        (self.spec, job) = (spec, new)
    }
}
