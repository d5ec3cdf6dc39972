package import JobKit

/// The durable store of jobs: `perform` makes the writes that are values (`StoreWrite`), and one protocol per noun has
/// the others. An engine implements all of them.
///
/// A client of one noun takes that protocol, not this one. Every engine keeps the same guarantees; the conformance
/// suite checks each of them.
///
/// Several servers may share one store. A claim belongs to the `owner` that made it, which is one life of one server,
/// and carries a fence, a number that rises with every claim of the job; a write of a run whose claim is over is
/// refused.
///
/// Writes: the reply comes once, after the change is durable or refused. It comes on a thread of the store or, when the
/// engine has none or is closed, on the caller's before the call returns; it must not block. Writes of one caller are
/// applied in the order in which they were started, except that later ones may overtake a large update of a run. Writes
/// of many callers are committed in groups, in which tenants take turns. A failed write has changed nothing. One that
/// has much content is refused with `.writesFull` while too much waits.
///
/// Reads see every acknowledged write.
package protocol JobStore: RequestStore, RunStore, StoreWriting, ArtifactStore, CommitFeed, StoreReading,
    StoreCare
{
    /// This store for the writes of one change: each that succeeds adds the record in its transaction. A write to a job
    /// that changes nothing, such as a repeated cancellation request, adds none.
    func auditing(_ draft: AuditDraft) -> any JobStore

    /// This store for the writes of a tenant, which take turns with those of others. Those of the store itself are in
    /// turn like those of one tenant.
    func writing(for tenant: Tenant) -> any JobStore
}

/// The writes that requests of clients make.
package protocol RequestStore: SubmissionStore, QueueStore {
    /// Makes a write that clients may ask for.
    func perform<Write: RequestWrite>(_ write: Write, reply: @escaping StoreReply<Write.Reply>)

    /// This store for the writes of one change; see `JobStore.auditing`.
    func recording(_ draft: AuditDraft) -> any RequestStore
}

extension Result where Success: Sendable, Failure == JobStoreError {
    /// Makes a call and waits for its reply.
    package static func awaiting(_ call: (@escaping @Sendable (Self) -> Void) -> Void) async -> Self {
        await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }
    }
}

extension StoreWriting {
    /// Makes a write and waits for its reply.
    @discardableResult
    package func perform<Write: StoreWrite>(_ write: Write) async throws(JobStoreError) -> Write.Reply {
        try await Result.awaiting { perform(write, reply: $0) }.get()
    }
}

extension JobStore {
    /// Wakes all jobs that were suspended with this key among their `wakeKeys`, in parts, so that other writes never
    /// wait long. The reply is the number of jobs that became `queued`.
    package func wakeAll(key: String, at time: Timestamp, woken: Int = 0, reply: @escaping StoreReply<Int>) {
        perform(KeyWake(key, at: time)) { result in
            switch result {
            case .success(let receipt) where receipt.isMore:
                wakeAll(key: key, at: time, woken: woken + receipt.woken, reply: reply)
            case .success(let receipt): reply(.success(woken + receipt.woken))
            case .failure(let error): reply(.failure(error))
            }
        }
    }

    /// The store itself: for engines whose writes wait for no others.
    package func writing(for tenant: Tenant) -> any JobStore { self }

    package func recording(_ draft: AuditDraft) -> any RequestStore { auditing(draft) }
}
