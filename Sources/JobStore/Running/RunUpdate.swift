package import JobJournal
package import JobKit

/// The report of a run to the store.
package struct RunUpdate: Sendable {
    /// The claim of the run.
    package var claim: ClaimKey
    /// New journal entries, in order.
    package var journal: [JournalEntry]
    /// The new standing; nil only appends to the journal.
    package var standing: Standing?
    /// Exclusive keys that operations of the job took. They stay with the job until freed, or until it is final.
    package var taken: [ExclusiveHold] = []
    /// Exclusive keys that operations of the job gave back.
    package var freed: [String] = []
    /// A summary that later runs read in the place of the older part of the journal. It ends where a write ended, such
    /// as at the `journalEnd` of the claim. Kept until the job is final.
    package var summary: JournalSummary?
    /// Whether the job ran for a while although it is suspected of having ended the process, which clears it.
    package var isProof = false

    /// A report.
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
    /// When something was posted to the job that the run has not seen, a state that suspends the job becomes
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
        /// The number of the last post that the run has seen; see `PostReceipt`.
        package var postsSeen = Int64.max
        /// Keys under which the job is woken while it is suspended.
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
