internal import JobKit
internal import JobStore

/// The meaning of the store's replies.
extension JobRunner {
    /// Whether a job whose turn for a key has come leaves it to the next in line: it is over, or a person holds it. One
    /// of which nothing is known just now keeps it.
    static func passesKeysOn(_ found: Result<JobRecord?, JobStoreError>) -> Bool {
        guard case .success(let job) = found else { return false }
        return job.map { $0.state.isFinal || $0.state == .paused } ?? true
    }

    /// When to look again: a store that cannot tell at the moment is asked once more.
    static func due(_ reply: Result<Timestamp?, JobStoreError>, retryAt: Timestamp) -> Timestamp? {
        switch reply {
        case .success(let due): due
        case .failure(let error): error.isRetryable ? retryAt : nil
        }
    }
}
