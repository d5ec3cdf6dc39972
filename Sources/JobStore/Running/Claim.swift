package import JobKit

/// A claimed job with all that is needed to run it.
package struct Claim: Sendable {
    /// The job after the claim. `cancelling` when a stop was asked for before a crash.
    package var record: JobRecord
    /// Its spec; empty when the spec or the journal is damaged, and then the job cannot be run.
    package var spec: [UInt8]
    /// The past: all of its journal, or a summary of the older part and all after it.
    package var journal: [JournalEntry]
    /// The number of the last entry of its journal, 0 when that is empty.
    package var journalEnd: Int64
    /// The number of posts the job was sent; all of them are in the journal.
    package var posts: Int64 = 0
    /// `spec` as read, when that is still known from the submission; nil has it read again.
    package var reading: KnownSpec?
    /// The date on which the job falls due, when it was claimed before that; nil when it was due.
    package var aheadOf: Timestamp?
    /// Whether the process died four times while the job ran, the last two times with no other suspect beside it: it is
    /// to be ended and not run.
    package var hasEndedProcess = false

    /// A claim.
    package init(record: JobRecord, spec: [UInt8], journal: [JournalEntry] = [], journalEnd: Int64 = 0) {
        self.record = record
        self.spec = spec
        self.journal = journal
        self.journalEnd = journalEnd
    }

    /// The claim's key.
    package var key: ClaimKey { ClaimKey(id: record.id, fence: record.fence) }
}
