/// A transaction that can record changes by people.
package protocol AuditTransaction {
    associatedtype Failure: Error

    /// The number of changes of jobs in the transaction.
    var changeCount: Int { get }

    /// The stored body that a change is about; nil where there is none.
    func body(of draft: AuditDraft) throws(Failure) -> [UInt8]?

    func add(_ record: AuditRecord) throws(Failure)
}

/// The records of changes, each in the transaction of its change.
extension AuditTransaction {
    /// Runs a write, and adds its record when it succeeds and changes something.
    package func recording<Value>(
        _ draft: AuditDraft, _ work: (Self) throws(Failure) -> Result<Value, JobStoreError>
    ) throws(Failure) -> Result<Value, JobStoreError> {
        let before = try body(of: draft)
        let changesBefore = changeCount
        let result = try work(self)
        guard case .success(let value) = result, draft.record.kind != "jobs" || changeCount > changesBefore,
            (value as? ScheduleReceipt)?.changedNothing != true
        else { return result }
        try add(draft.record(before: before, after: try body(of: draft)))
        return result
    }
}
