package import JobKit

/// The next ids of a bulk action, to be settled in one transaction: each job is changed together with its result.
package struct BulkStep: Sendable {
    /// The decision about one job.
    package enum Verdict: Sendable {
        case cancel(CancelRequest)
        case retry(JournalEntry)
        case post(JobPost)
        case erase
        /// Stores this new job, and leaves the job as it is.
        case submit(NewJob)
        case skip(code: String, detail: String)
        /// The decision depends on the job's spec.
        case reading(@Sendable (_ spec: [UInt8]?) -> Verdict)
    }

    /// The size of the specs that are read and stored, and of erased jobs, from which on a step settles no more ids:
    /// other writes wait for its transaction.
    static let bytesMax = 1 << 20

    package var id: BulkID
    /// The number of ids that must be settled already.
    package var place: Int
    /// The maximum number of ids to settle, from 1.
    package var count: Int
    package var at: Timestamp
    /// The code in the result of a job for which the store refused the change.
    package var code: @Sendable (JobStoreError) -> String
    /// Decides about a job as it is in the transaction.
    package var decide: @Sendable (JobRecord) -> Verdict

    package init(
        id: BulkID, place: Int, count: Int, at: Timestamp,
        code: @escaping @Sendable (JobStoreError) -> String,
        decide: @escaping @Sendable (JobRecord) -> Verdict
    ) {
        self.id = id
        self.place = place
        self.count = count
        self.at = at
        self.code = code
        self.decide = decide
    }
}
