package import JobKit

/// Adds the record of a change that is not made in the store.
extension AuditRecord: RequestWrite {
    /// Nothing but the success.
    package typealias Reply = Void

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        .success(try transaction.add(self))
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) -> AuditRecord { tenant.stored(self) }

    package func shown(_ reply: Void, to tenant: Tenant) {}
}

/// Removes the oldest records that are from before a time, at most `limit` (1…10,000).
package struct AuditSweep: StoreWrite {
    /// The number of removed records.
    package typealias Reply = Int

    package var before: Timestamp
    package var limit: Int

    package init(before: Timestamp, limit: Int) {
        self.before = before
        self.limit = StoreRange.batch(limit)
    }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let count = try transaction.removeAudits(before: before, limit: limit)
        if count > 0 { transaction.noteErasure() }
        return .success(count)
    }
}

/// The records of changes, each in the transaction of its change.
extension StoreTransaction {
    /// Runs a write, and adds its record when it succeeds and changes something.
    package func recording<Value>(
        _ draft: AuditDraft, _ work: (Self) throws(Failure) -> Result<Value, JobStoreError>
    ) throws(Failure) -> Result<Value, JobStoreError> {
        let before = try body(of: draft)
        let changesBefore = changeCount
        let result = try work(self)
        guard case .success(let value) = result, draft.record.kind != "jobs" || changeCount > changesBefore,
            (value as? any ChangeReceipt)?.changedNothing != true
        else { return result }
        try add(draft.record(before: before, after: try body(of: draft)))
        return result
    }
}
