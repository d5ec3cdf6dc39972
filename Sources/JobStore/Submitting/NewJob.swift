package import JobKit

/// A job to be stored for the first time.
package struct NewJob: Sendable {
    /// The job in its first state: `queued`, or `scheduled` with `dueAt`.
    package var record: JobRecord
    /// The spec's bytes.
    package var spec: [UInt8]
    /// The key that makes a repeated submission find this job instead of creating another.
    package var idempotency: IdempotencyClaim?
    /// The key that one unfinished job has at a time; nil is none.
    package var unique: UniqueClaim?
    /// `spec` as read by its submitter: handed on to the claim if that comes soon. Must be what
    /// `JobSpecReader.readStored` makes of `spec`.
    package var reading: KnownSpec?
    /// The place of the bytes of `record.metadata` in `spec`, so that they need not be stored twice.
    package var metadataPlace: Range<Int>?
    /// The date by which it must have ended; before its first run it fails then. Nil when there is no such date, or the
    /// run sees to it alone.
    package var deadline: Timestamp?
    /// The ends that have callbacks; see `CallbackReads.endsToTell`.
    package var callbackEnds: Set<JobState> = []

    /// A new job.
    package init(record: JobRecord, spec: [UInt8], idempotency: IdempotencyClaim? = nil) {
        self.record = record
        self.spec = spec
        self.idempotency = idempotency
    }
}
