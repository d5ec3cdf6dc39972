package import JobKit

/// A job to be stored for the first time. Kept once behind one reference, as `JobRecord` is.
@dynamicMemberLookup
public struct NewJob: Sendable {
    /// Always one.
    @usableFromInline var facts: [Facts]

    /// The facts of a new job.
    public struct Facts: Sendable {
        /// The job in its first state: `queued`, or `scheduled` with `dueAt`.
        package var record: JobRecord
        package var spec: [UInt8]
        /// The key that makes a repeated submission find this job instead of creating another.
        package var idempotency: IdempotencyClaim?
        /// The unique key, which one unfinished job holds at a time; nil means none.
        package var unique: UniqueClaim?
        /// The parsed `spec`, passed on to the claim if that comes soon. Must equal what `JobSpecReader.readStored`
        /// makes of `spec`.
        package var reading: KnownSpec?
        /// The range of `record.metadata` in `spec`, so that the bytes need not be stored twice.
        package var metadataPlace: Range<Int>?
        /// The deadline at which the job fails if its first run has not started. Nil when there is none, or when the
        /// run alone enforces it.
        package var deadline: Timestamp?
        /// The uploads that it uses, which are kept until it is erased.
        package var uploads: [UploadID] = []
        /// The ends that have callbacks; see `CallbackReads.endsToTell`.
        package var callbackEnds: Set<JobState> = []
    }

    package init(record: JobRecord, spec: [UInt8], idempotency: IdempotencyClaim? = nil) {
        facts = [Facts(record: record, spec: spec, idempotency: idempotency)]
    }

    /// A fact.
    @inlinable
    public subscript<Value>(dynamicMember path: WritableKeyPath<Facts, Value>) -> Value {
        @inline(__always) get { facts[0][keyPath: path] }
        @inline(__always) _modify { yield &facts[0][keyPath: path] }
    }

    /// The approximate size of what it stores.
    package var bytes: Int { self.spec.count + (self.metadataPlace == nil ? self.record.metadata.count : 0) }

    /// Keeps the name of the submitter, where it is known.
    package mutating func note(createdBy name: String) {
        if !name.isEmpty { self.record.detail.submit { $0.createdBy = name } }
    }
}
