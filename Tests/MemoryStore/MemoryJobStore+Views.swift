package import JobKit
package import JobStore
import Synchronization

/// Views for the writes of tenants and of people, and the record of changes.
extension MemoryJobStore {
    package func auditing(_ draft: AuditDraft) -> any JobStore { MemoryJobStore(self, auditing: draft) }

    package func writing(for tenant: Tenant) -> any JobStore { MemoryJobStore(self, for: tenant) }

    /// The number of writes in the turns of a tenant.
    package func writes(of tenant: Tenant) -> Int { turns.withLock { $0[tenant] ?? 0 } }

    package func add(
        _ record: AuditRecord, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        reply(write { $0.add(record) })
    }

    package func removeAudits(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        reply(write { $0.removeAudits(before: time, limit: StoreRange.batch(limit)) })
    }
}
