import JobKit
import JobStore

/// The changes by people, and by tenants.
extension SQLiteJobStore {
    func auditing(_ draft: AuditDraft) -> any JobStore { SQLiteJobStore(self, auditing: draft) }

    func writing(for tenant: Tenant) -> any JobStore { SQLiteJobStore(self, for: tenant) }

    func add(_ record: AuditRecord, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void) {
        write(reply) { session throws(SQLiteFailure) in .success(try session.audits.add(record)) }
    }

    func removeAudits(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        let limit = StoreRange.batch(limit)
        write(reply) { session throws(SQLiteFailure) in
            .success(
                try session.erasing { () throws(SQLiteFailure) in
                    try session.audits.remove(before: time, limit: limit)
                })
        }
    }
}
