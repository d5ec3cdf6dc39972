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

/// An idempotency key and what was asked with it.
package struct IdempotencyClaim: Sendable, Hashable {
    /// The key, with the submitter's name in front so that two submitters never meet.
    package var key: String
    /// A digest of the request; another one under the same key is a mistake of the client.
    package var fingerprint: [UInt8]
    /// When the key is forgotten.
    package var expiresAt: Timestamp

    /// A key.
    package init(key: String, fingerprint: [UInt8], expiresAt: Timestamp) {
        self.key = key
        self.fingerprint = fingerprint
        self.expiresAt = expiresAt
    }
}

/// A key that one unfinished job has at a time, and what becomes of the job when another one has it.
package struct UniqueClaim: Sendable {
    /// The key.
    package var key: String
    /// What becomes of the job when the key is taken.
    package var onConflict: UniqueConflict
    /// Makes the detail of the job while it waits for the one that has the key.
    package var waiting: @Sendable (JobID) -> [UInt8]
    /// How a job is stopped that gives way to this one.
    package var stopping: @Sendable (JobRecord) -> CancelRequest

    /// A unique key.
    package init(
        key: String, onConflict: UniqueConflict, waiting: @escaping @Sendable (JobID) -> [UInt8],
        stopping: @escaping @Sendable (JobRecord) -> CancelRequest
    ) {
        self.key = key
        self.onConflict = onConflict
        self.waiting = waiting
        self.stopping = stopping
    }
}

/// The unfinished jobs with a unique key that stand before another one.
package struct UniqueLine: Sendable, Hashable {
    /// The key.
    package var key: String
    /// The first of them, which has the key.
    package var holder: JobID
    /// How many there are, the holder among them; counted up to 10,000.
    package var ahead: Int
}

/// What became of a submission.
package enum SubmitOutcome: Sendable {
    /// A job was made.
    case created(JobRecord)
    /// A job was made that takes the place of others. These are in flight and must be told to stop.
    case replacing(JobRecord, inFlight: [JobID])
    /// No job was made, since this one has the same unique key.
    case joined(JobRecord)
    /// The same request made this job before.
    case replayed(JobRecord)
    /// The same request made the job with this id before, which was erased meanwhile. No job was made.
    case replayedGone(JobID)
    /// The key belongs to another request, which made the job with this id.
    case keyReused(JobID)
}

/// What became of a submission of several jobs.
package enum BatchOutcome: Sendable {
    /// What became of each, in order.
    case items([Result<SubmitOutcome, JobStoreError>])
    /// The first job's key belongs to another request, which made the job with this id. Nothing was stored.
    case keyReused(JobID)
}

/// A claim: the right to run one job until the lease ends.
package struct ClaimKey: Sendable, Hashable {
    /// The job.
    package var id: JobID
    /// The fence number of the claim.
    package var fence: Int64

    /// A claim's key.
    package init(id: JobID, fence: Int64) {
        self.id = id
        self.fence = fence
    }
}

/// A claimed job with all that is needed to run it.
package struct Claim: Sendable {
    /// The job after the claim. `cancelling` when a stop was asked for before a crash.
    package var record: JobRecord
    /// Its spec; empty when the spec or the journal is damaged, and then the job cannot be run.
    package var spec: [UInt8]
    /// What has already happened: all of its journal, or a summary of the older part and all after it.
    package var journal: [JournalEntry]
    /// The number of the last entry of its journal, 0 when that is empty.
    package var journalEnd: Int64
    /// How many posts the job was sent; all of them are in the journal.
    package var mail: Int64 = 0
    /// What `spec` says, when that is known still from the submission; nil has it read again.
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

/// A journal entry with its place in the job's journal, from 1 without gaps.
package struct NumberedEntry: Sendable {
    /// The place.
    package var sequence: Int64
    /// The entry.
    package var entry: JournalEntry

    /// A numbered entry.
    package init(sequence: Int64, entry: JournalEntry) {
        self.sequence = sequence
        self.entry = entry
    }
}

/// What a run has to say.
package struct RunUpdate: Sendable {
    /// Whose run.
    package var claim: ClaimKey
    /// New journal entries, in order.
    package var journal: [JournalEntry]
    /// The new standing; nil only appends to the journal.
    package var standing: Standing?
    /// Exclusive keys that operations of the job took. They stay with the job until freed, or until it is final.
    package var taken: [ExclusiveHold] = []
    /// Exclusive keys that operations of the job gave back.
    package var freed: [String] = []
    /// What later runs read in the place of the older part of the journal. It ends where a write ended, such as at the
    /// `journalEnd` of the claim. Kept until the job is final.
    package var summary: JournalSummary?
    /// Says that the job ran for a while although it is suspected of having ended the process: it is cleared of that.
    package var isProof = false

    /// What a run has to say.
    package init(claim: ClaimKey, journal: [JournalEntry], standing: Standing? = nil) {
        self.claim = claim
        self.journal = journal
        self.standing = standing
    }

    /// A new standing of the job. A state other than `running` and `cancelling` ends the claim. A move that
    /// `JobState.successors` does not allow is refused with `.wrongState(current)`.
    ///
    /// When the stored state is `cancelling`, it is left only for a final state, so that a stop is never lost: a
    /// standing with `running` or `cancelling` keeps the claim, and one with any other state that is not final ends
    /// the claim and leaves the job `cancelling` and claimable at once.
    ///
    /// When something was posted to the job that the run has not seen, a state that puts the job down becomes
    /// `queued`: the next run sees it.
    package struct Standing: Sendable {
        /// The new state.
        package var state: JobState
        /// Attempts of the root operation so far.
        package var attempt: Int
        /// When to look again, for `waiting`, `retrying` and `scheduled`.
        package var dueAt: Timestamp?
        /// When it ended, for final states; retention is counted from here.
        package var finishedAt: Timestamp?
        /// Makes the new `JobRecord.detail`, on a thread of the store. It may be asked more than once.
        package var detail: @Sendable () -> [UInt8]
        /// The root operation's result, for `succeeded`, or what there is of one.
        package var result: OperationResult?
        /// The number of the last thing posted to the job that the run has seen; see `PostReceipt`.
        package var mailSeen = Int64.max
        /// Keys under which the job is woken, while it is put down.
        package var wakeKeys: [String] = []
        /// Whether the root operation's execution began; false takes `JobRecord.startedAt` back.
        package var wasStarted = true

        /// A standing.
        package init(
            state: JobState, attempt: Int, dueAt: Timestamp? = nil, finishedAt: Timestamp? = nil,
            detail: [UInt8] = [],
            result: OperationResult? = nil
        ) {
            self.state = state
            self.attempt = attempt
            self.dueAt = dueAt
            self.finishedAt = finishedAt
            self.detail = { detail }
            self.result = result
        }
    }
}

/// A wish to stop a job.
package struct CancelRequest: Sendable {
    /// Which job.
    package var id: JobID
    /// When it was asked.
    package var at: Timestamp
    /// The detail of the record when it can be cancelled at once.
    package var detail: [UInt8]
    /// What to note in the journal, in any case but a final state.
    package var journal: JournalEntry
    /// How its operation ends when it can be cancelled at once.
    package var ending: OperationEnding

    /// A wish to stop a job.
    package init(
        id: JobID, at: Timestamp, detail: [UInt8], journal: JournalEntry,
        ending: OperationEnding = OperationEnding(state: .cancelled)
    ) {
        self.id = id
        self.at = at
        self.detail = detail
        self.journal = journal
        self.ending = ending
    }

    /// What is noted, by what became of the wish.
    func entries(for stop: StoredJob.Stop) -> [JournalEntry] {
        guard case .cancelled(let inner) = stop else { return [journal] }
        return [journal] + inner + [JournalEntry(at: at, path: [], event: .finished(ending))]
    }
}

/// What became of a wish to stop.
package enum CancelOutcome: Sendable {
    /// It was not in flight and is `cancelled` now.
    case cancelled(JobRecord)
    /// It is in flight; the state is `cancelling`.
    case cancelling(JobRecord)
    /// It had already ended.
    case alreadyFinal(JobRecord)
}

/// What to write into a job that was not started in time.
package struct ExpiredJob: Sendable {
    /// The record's new detail.
    package var detail: [UInt8]
    /// The journal entry.
    package var journal: JournalEntry

    /// An expired job.
    package init(detail: [UInt8], journal: JournalEntry) {
        self.detail = detail
        self.journal = journal
    }
}

/// One job that a commit changed.
package struct JobChange: Sendable {
    /// Which.
    package var id: JobID
    /// Where it stands now; nil when it was erased.
    package var state: JobState?
    /// Its revision now.
    package var revision: Int64
    /// When it is due, for `scheduled`, `waiting` and `retrying`.
    package var dueAt: Timestamp?
    /// Whether it is over now and somebody is to be told.
    package var hasCallbacks = false
    /// The job as it stands now when it is over, so that nobody who waited for that needs to read it.
    package var ended: EndedJob?

    /// A change.
    package init(id: JobID, state: JobState?, revision: Int64, dueAt: Timestamp? = nil) {
        self.id = id
        self.state = state
        self.revision = revision
        self.dueAt = dueAt
    }
}
