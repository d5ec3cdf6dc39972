package import JobJournal
package import JobKit

/// The update that a run sends to the store.
package struct RunUpdate: Sendable {
    package var claim: ClaimKey
    /// New journal entries, in order.
    package var journal: [JournalEntry]
    /// The new state of the job; nil only appends to the journal.
    package var standing: Standing? {
        get { kept?.standing }
        set { kept = newValue.map(Kept.init) }
    }
    /// In one place, since an update passes through many hands.
    private var kept: Kept?
    /// Exclusive keys that operations of the job took. The job holds them until freed, or until it is final.
    package var taken: [ExclusiveHold] = []
    /// Exclusive keys that operations of the job released.
    package var freed: [String] = []
    /// A summary that later runs read in place of the older part of the journal. It ends at the end of a write, such as
    /// the `journalEnd` of the claim. Kept until the job is final.
    package var summary: JournalSummary?
    /// Whether the job ran for a while although it is suspected of crashing the process, which clears it.
    package var isProof = false

    package init(claim: ClaimKey, journal: [JournalEntry], standing: Standing? = nil) {
        self.claim = claim
        self.journal = journal
        kept = standing.map(Kept.init)
    }

    private final class Kept: Sendable {
        let standing: Standing

        init(_ standing: Standing) { self.standing = standing }
    }

    /// Whether the job has a new state.
    package var hasStanding: Bool { kept != nil }

    /// The keys under which the job is woken from now on.
    package var wakeKeys: [String] { kept?.standing.wakeKeys ?? [] }

    /// The approximate size of the new state with its data.
    var standingBytes: Int {
        guard let kept else { return 0 }
        return (kept.standing.result?.body.count ?? 0) + kept.standing.detail.sizeEstimate
    }

    /// A new state of the job with its data. A state other than `running` and `cancelling` ends the claim. A transition
    /// that `JobState.successors` does not allow is refused with `.wrongState(current)`.
    ///
    /// When the stored state is `cancelling`, only a final state replaces it, so that a cancellation is never lost: an
    /// update to `running` or `cancelling` keeps the claim, and one to any other state that is not final ends the claim
    /// and leaves the job `cancelling` and claimable at once.
    ///
    /// When the job has a post that the run has not seen, a state that suspends the job becomes `queued`: the next run
    /// sees the post.
    package struct Standing: Sendable {
        package var state: JobState
        /// The attempts of the root operation so far.
        package var attempt: Int
        /// The due date, for `waiting`, `retrying` and `scheduled`.
        package var dueAt: Timestamp?
        /// The end, for final states; retention begins here.
        package var finishedAt: Timestamp?
        /// The new `JobRecord.detail`, without a summary of the result.
        package var detail: StoredDetail
        /// The root operation's result, for `succeeded`, or what there is of one.
        package var result: OperationResult?
        /// The rules by which the store adds a summary of the result to the detail: to hash a long result would hold up
        /// the engine's loop. Nil adds none.
        package var resultRules: ResultSummary.Rules?
        /// The number of the last post that the run has seen; see `PostReceipt`.
        package var postsSeen = Int64.max
        /// The keys under which the job is woken while it is suspended.
        package var wakeKeys: [String] = []
        /// Whether the root operation has started; false clears `JobRecord.startedAt`.
        package var wasStarted = true

        package init(
            state: JobState, attempt: Int, dueAt: Timestamp? = nil, finishedAt: Timestamp? = nil,
            detail: StoredDetail = .nothing, result: OperationResult? = nil
        ) {
            self.state = state
            self.attempt = attempt
            self.dueAt = dueAt
            self.finishedAt = finishedAt
            self.detail = detail
            self.result = result
        }

        /// The detail with the summary of the result.
        package var completeDetail: StoredDetail {
            guard let result, let resultRules else { return detail }
            var values = detail.values
            values.result = ResultSummary(result, by: resultRules)
            return StoredDetail(values)
        }
    }
}
