internal import JobKit

/// The records of changes by people. A transaction adds them.
package protocol AuditRows: SweptRows {
    /// The stored body that a change is about; nil where there is none. No other server changes it until the end of the
    /// transaction.
    func body(of draft: AuditDraft) throws(Failure) -> [UInt8]?
}

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

/// The records of changes, each in the transaction of its change.
extension StoreTransaction {
    /// Runs a write, and adds its record when it succeeds and changes something.
    package func recording<Value>(
        _ draft: AuditDraft, _ work: (Self) throws(Failure) -> Result<Value, JobStoreError>
    ) throws(Failure) -> Result<Value, JobStoreError> {
        let before = try audits.body(of: draft)
        let changesBefore = changeCount
        let result = try work(self)
        guard case .success(let value) = result, draft.record.kind != "jobs" || changeCount > changesBefore,
            (value as? any ChangeReceipt)?.changedNothing != true
        else { return result }
        try add(draft.record(before: before, after: try audits.body(of: draft)))
        return result
    }
}
