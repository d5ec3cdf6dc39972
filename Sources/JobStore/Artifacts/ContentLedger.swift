/// Records which content several servers keep in a shared place, so that none removes content that another one is about
/// to use.
///
/// Content is *held* before it is stored there. Held content that no job has used for the grace period is *condemned*
/// in one transaction; from then on until it is *forgotten*, after its removal, it cannot be held.
package protocol ContentLedger: Sendable {
    /// Holds content, anew if it was held already. Returns when that is committed.
    /// - Returns: false while the content is being removed: try again soon.
    func hold(_ sha256: String) async throws(JobStoreError) -> Bool

    /// Condemns content that no job uses and that was held longer than `grace` ago, and again that which was condemned
    /// longer than `patience` ago and never forgotten, since its remover died.
    /// - Returns: digests, at most `limit`.
    func condemn(
        unusedFor grace: Duration, patience: Duration, limit: Int
    ) async throws(JobStoreError) -> [String]

    /// Those of the owners of unfinished content, by the ids of their jobs, that will not resume it: their jobs are
    /// erased or succeeded.
    func finished(_ owners: [String]) async throws(JobStoreError) -> [String]

    /// Forgets condemned content, which is removed.
    func forget(_ digests: [String]) async throws(JobStoreError)
}
