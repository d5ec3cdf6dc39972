import JobKit
import JobStore

/// The changes by people, and by tenants.
extension PostgresJobStore {
    func auditing(_ draft: AuditDraft) -> any JobStore { PostgresJobStore(self, auditing: draft) }

    func writing(for tenant: Tenant) -> any JobStore { PostgresJobStore(self, for: tenant) }

    func add(_ record: AuditRecord, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void) {
        write(reply) { unit in .success(unit.add(record)) }
    }

    func removeAudits(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        let limit = StoreRange.batch(limit)
        write(reply) { unit throws(PostgresFailure) in
            .success(try unit.tables.audits.remove(before: time, limit: limit))
        }
    }
}
