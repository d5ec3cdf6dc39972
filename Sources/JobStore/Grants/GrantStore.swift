package import JobKit

/// Keeps grants and the requests for them.
package protocol GrantStore: Sendable {
    /// Stores a decision, settles the request unless the grant stays undetermined, and wakes the first
    /// `WakeReceipt.part` jobs that wait for it; `wakeSettled` wakes the others.
    /// - Throws (in the reply): `.grantsFull` beyond `StoreLimits.grantsMax`.
    func put(
        _ grant: GrantRecord, at now: Timestamp,
        reply: @escaping @Sendable (Result<GrantReceipt, JobStoreError>) -> Void)

    /// Requests a grant, unless it was requested before or is decided: there is one request per grant. The reply is the
    /// updated grant.
    /// - Throws (in the reply): `.grantsFull`.
    func request(
        _ name: String, _ request: GrantRequest,
        reply: @escaping @Sendable (Result<GrantRecord, JobStoreError>) -> Void)

    /// Removes a grant and its request. Jobs that wait for it are woken, as `put` does, and request it again.
    /// - Throws (in the reply): `.noGrant`.
    func removeGrant(
        _ name: String, at now: Timestamp,
        reply: @escaping @Sendable (Result<WakeReceipt, JobStoreError>) -> Void)

    /// Wakes up to `limit` (1…10,000) jobs that wait for one of the grants that are decided or removed.
    func wakeSettled(
        limit: Int, at now: Timestamp,
        reply: @escaping @Sendable (Result<WakeReceipt, JobStoreError>) -> Void)
}
