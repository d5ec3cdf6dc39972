internal import JobJournal
package import JobKit
package import JobSpec

/// A claimed job with everything needed to run it.
package struct Claim: Sendable {
    /// The job after the claim. `cancelling` when a cancellation was requested before a crash.
    package var record: JobRecord
    /// The spec; empty when the spec or the journal is damaged, so that the job cannot run.
    package var spec: [UInt8]
    /// The whole journal, or a summary of its older part and all entries after it.
    package var journal: [JournalEntry]
    /// The number of the last journal entry; 0 when the journal is empty.
    package var journalEnd: Int64
    /// The size of the spec and of what was read of the journal, in bytes.
    package var bytes: Int
    /// The number of the last post to the job; all are in the journal.
    package var posts: Int64 = 0
    /// The parsed `spec`, when the submission is recent enough; nil means that it has to be parsed again.
    package var reading: KnownSpec?
    /// The due date of a job claimed before it; nil when the job was due.
    package var aheadOf: Timestamp?
    /// The exclusive keys that the job holds, where the store keeps the lines for them.
    package var holds: [ExclusiveHold] = []
    /// Whether the process crashed four times while the job ran, the last two times with no other suspect: the job must
    /// be ended without being run.
    package var hasEndedProcess = false

    package init(record: JobRecord, spec: [UInt8], journal: [JournalEntry] = [], journalEnd: Int64 = 0) {
        self.record = record
        self.spec = spec
        self.journal = journal
        self.journalEnd = journalEnd
        bytes = spec.count
    }

    package var key: ClaimKey { ClaimKey(id: record.id, fence: record.fence) }
}

extension Claim {
    /// The spec with the members that were added to it before the claim.
    package func read() -> Result<KnownSpec, SpecProblems> {
        if journal.isEmpty, let reading { return .success(reading) }
        return read(adding: journal.isEmpty ? [] : JournalFold(journal).additions)
    }

    /// The spec with these members.
    package func read(adding additions: [MemberAddition]) -> Result<KnownSpec, SpecProblems> {
        JobSpecReader.readStored(spec, adding: additions, now: record.createdAt).map { KnownSpec($0) }
    }
}
