package import JobKit

/// A job to be stored for the first time.
package struct NewJob: Sendable {
    /// The job in its first state: `queued`, or `scheduled` with `dueAt`.
    package var record: JobRecord
    package var spec: [UInt8]
    /// The key that makes a repeated submission find this job instead of creating another.
    package var idempotency: IdempotencyClaim?
    /// The unique key, which one unfinished job holds at a time; nil means none.
    package var unique: UniqueClaim?
    /// The parsed `spec`, passed on to the claim if that comes soon. Must equal what `JobSpecReader.readStored` makes
    /// of `spec`.
    package var reading: KnownSpec?
    /// The range of `record.metadata` in `spec`, so that the bytes need not be stored twice.
    package var metadataPlace: Range<Int>?
    /// The deadline at which the job fails if its first run has not started. Nil when there is none, or when the run
    /// alone enforces it.
    package var deadline: Timestamp?
    /// The uploads that it uses, which are kept until it is erased.
    package var uploads: [UploadID] = []
    /// The ends that have callbacks; see `CallbackReads.endsToTell`.
    package var callbackEnds: Set<JobState> = []

    package init(record: JobRecord, spec: [UInt8], idempotency: IdempotencyClaim? = nil) {
        self.record = record
        self.spec = spec
        self.idempotency = idempotency
    }

    /// The approximate size of what it stores.
    package var bytes: Int { spec.count + (metadataPlace == nil ? record.metadata.count : 0) }

    /// Keeps the name of the submitter, where it is known.
    package mutating func note(createdBy name: String) {
        if !name.isEmpty { record.detail.submit { $0.createdBy = name } }
    }
}
