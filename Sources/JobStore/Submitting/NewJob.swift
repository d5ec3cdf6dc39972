package import JobKit

/// A job to be stored for the first time.
package struct NewJob: Sendable {
    /// The job as it will stand: `queued`, or `scheduled` with `dueAt`.
    package var record: JobRecord
    /// The spec's bytes.
    package var spec: [UInt8]
    /// The key that makes a repeated submission find this job instead of creating another.
    package var idempotency: IdempotencyClaim?
    /// The key that one unfinished job has at a time; nil is none.
    package var unique: UniqueClaim?
    /// What `spec` says, when whoever submits it has read it: handed on to the claim if that comes soon. Must be what
    /// `JobSpecReader.readStored` makes of `spec`.
    package var reading: KnownSpec?
    /// Where in `spec` the bytes of `record.metadata` stand, so that they need not be stored twice.
    package var metadataPlace: Range<Int>?
    /// By when it must have ended; before its first run it fails then. Nil when there is no such date, or the run sees
    /// to it alone.
    package var deadline: Timestamp?
    /// The ends that somebody is told of; see `JobReader.endsToTell`.
    package var callbackEnds: Set<JobState> = []

    /// A new job.
    package init(record: JobRecord, spec: [UInt8], idempotency: IdempotencyClaim? = nil) {
        self.record = record
        self.spec = spec
        self.idempotency = idempotency
    }
}
