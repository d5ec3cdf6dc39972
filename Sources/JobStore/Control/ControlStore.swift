package import JobKit

/// Wakes jobs from outside their runs.
package protocol ControlStore: Sendable {
    /// Makes suspended jobs claimable at once. A job in flight is queued again when it is suspended; others stay
    /// unchanged. The reply is the number of jobs that became `queued`.
    func wake(_ ids: [JobID], reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)

    /// Wakes up to `limit` (1…10,000) jobs that were suspended with this key among their `wakeKeys`, and forgets the
    /// key.
    func wake(
        key: String, limit: Int, reply: @escaping @Sendable (Result<WakeReceipt, JobStoreError>) -> Void)
}

extension ControlStore {
    /// Wakes all jobs that were suspended with this key among their `wakeKeys`, in parts, so that other writes never
    /// wait long. The reply is the number of jobs that became `queued`.
    package func wakeAll(
        key: String, woken: Int = 0, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        wake(key: key, limit: WakeReceipt.part) { result in
            switch result {
            case .success(let receipt) where receipt.isMore:
                wakeAll(key: key, woken: woken + receipt.woken, reply: reply)
            case .success(let receipt): reply(.success(woken + receipt.woken))
            case .failure(let error): reply(.failure(error))
            }
        }
    }
}
