package import JobKit
package import JobSpec

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
    /// Whether its run may begin before it is durable: its submitter waits for the end, is told nothing before, and the
    /// run only reads.
    package var mayRunFirst = false

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

/// A unique key, which one unfinished job holds at a time, and the rule for a conflict.
package struct UniqueClaim: Sendable {
    package var key: String
    /// The rule for a conflict.
    package var onConflict: UniqueConflict
    /// Makes the cancellation request for a job that gives way to this one.
    package var stopping: @Sendable (JobRecord) -> CancelRequest

    package init(
        key: String, onConflict: UniqueConflict,
        stopping: @escaping @Sendable (JobRecord) -> CancelRequest
    ) {
        self.key = key
        self.onConflict = onConflict
        self.stopping = stopping
    }
}

/// An idempotency key with the digest of its request.
package struct IdempotencyClaim: Sendable, Hashable {
    /// The key, prefixed by the submitter's name so that the keys of two submitters never collide.
    package var key: String
    /// A digest of the request; a different one under the same key is a mistake of the client.
    package var fingerprint: [UInt8]
    /// The expiry of the key.
    package var expiresAt: Timestamp

    package init(key: String, fingerprint: [UInt8], expiresAt: Timestamp) {
        self.key = key
        self.fingerprint = fingerprint
        self.expiresAt = expiresAt
    }
}

/// A spec parsed at its submission. A class, so that passing it on copies one reference.
package final class KnownSpec: Sendable {
    package let spec: JobSpec

    package init(_ spec: JobSpec) { self.spec = spec }
}
