internal import JobKit
internal import JobStore

/// Interprets the store's replies.
extension JobRunner {
    /// Whether a job whose turn for a key has come yields it to the next in line: the job has ended, or a person holds
    /// it. A job whose state cannot be read at the moment keeps its turn.
    static func passesKeysOn(_ found: Result<JobRecord?, JobStoreError>) -> Bool {
        guard case .success(let job) = found else { return false }
        return job.map { $0.state.isFinal || $0.state == .paused } ?? true
    }

    /// The time of the next look; a store that failed temporarily is queried again at `retryAt`.
    static func due(_ reply: Result<Timestamp?, JobStoreError>, retryAt: Timestamp) -> Timestamp? {
        switch reply {
        case .success(let due): due
        case .failure(let error): error.isRetryable ? retryAt : nil
        }
    }
}
