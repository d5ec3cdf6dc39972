package import JobKit

// DESIGN
// A write is a value: the request, the rows and bytes that it takes, the rules for tenants, and the transaction that
// does it. Engines, tenants and the simulation have one `perform` for all of them, and the transaction is written
// once, over the rows of `StoreTransaction`. Calls through `any JobStore` and `apply` are not specialised across
// modules, which is nothing beside a transaction; submissions, claims and updates of runs are frequent, and remain
// requirements of their own.

/// The part of a write that is known before its transaction, which decides its locks and its turn.
package protocol PlannedWrite: Sendable {
    associatedtype Reply: Sendable

    /// The rows that it will look for.
    var needs: WriteNeeds { get }

    /// The approximate size of its content.
    var bytes: Int { get }

    /// The number of jobs that it is about, as far as its needs do not say that.
    var rows: Int { get }
}

extension PlannedWrite {
    package var needs: WriteNeeds { WriteNeeds() }
    package var bytes: Int { 0 }
    package var rows: Int { max(1, needs.ids.count) }
}

/// A change of the store: the request and its transaction.
package protocol StoreWrite: PlannedWrite {
    /// Makes the change. It may run again when its group failed, and has no effect outside of the transaction.
    func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError>
}

/// Makes the changes that are values.
package protocol StoreWriting: Sendable {
    func perform<Write: StoreWrite>(_ write: Write, reply: @escaping StoreReply<Write.Reply>)
}

/// A write that clients may ask for: what it means for a tenant.
package protocol RequestWrite: StoreWrite {
    /// The jobs that count for the limits of their tenant from now on, as far as they are made, and the time.
    var admission: (ids: [JobID], at: Timestamp)? { get }

    /// Those of `admission` that were not made.
    func unmade(by result: Result<Reply, JobStoreError>) -> [JobID]

    /// The write with the stored names of what a tenant names.
    /// - Throws: the error for something that does not exist, also for a thing of others.
    func owned(by tenant: Tenant, _ reader: any OwnerReads) throws(JobStoreError) -> Self

    /// The reply with the names that the tenant knows.
    func shown(_ reply: Reply, to tenant: Tenant) -> Reply
}

/// The reads that tell whose a thing is.
package typealias OwnerReads = JobReads & ApprovalReads & BulkReads & UploadReads

extension RequestWrite {
    package var admission: (ids: [JobID], at: Timestamp)? { nil }

    package func unmade(by result: Result<Reply, JobStoreError>) -> [JobID] {
        if case .failure = result { admission?.ids ?? [] } else { [] }
    }
}

extension Tenant {
    /// Whether a job is the tenant's. A job never changes its tenant, so the answer holds for a later write.
    func owns(_ id: JobID, _ reader: any JobReads) throws(JobStoreError) -> Bool {
        try reader.job(id).map { owns($0.queue) } ?? false
    }
}

/// The cost of writes, in bytes.
package enum WriteCost {
    /// The cost of a row: it takes as long as writing so many bytes.
    package static let row = 2 << 10
}
