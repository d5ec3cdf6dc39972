import JobStore

/// The records of changes, each in the transaction of its change.
struct AuditWrites {
    let session: WriterSession

    /// Runs a write, and adds its record when it succeeds and, for one of a job, changes something.
    func recording<Value>(
        _ draft: AuditDraft,
        _ work: (WriterSession) throws(SQLiteFailure) -> Result<Value, JobStoreError>
    ) throws(SQLiteFailure) -> Result<Value, JobStoreError> {
        let audits = session.audits
        let before = try audits.body(of: draft)
        let changesBefore = session.changes.count
        let result = try work(session)
        guard case .success = result, draft.record.kind != "jobs" || session.changes.count > changesBefore
        else { return result }
        try audits.add(draft.record(before: before, after: try audits.body(of: draft)))
        return result
    }
}
