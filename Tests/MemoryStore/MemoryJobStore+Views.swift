package import JobStore
import Synchronization

/// Views for the writes of tenants and of people.
extension MemoryJobStore {
    package func auditing(_ draft: AuditDraft) -> any JobStore { MemoryJobStore(self, auditing: draft) }

    package func writing(for tenant: Tenant) -> any JobStore { MemoryJobStore(self, for: tenant) }

    /// The number of writes in the turns of a tenant.
    package func writes(of tenant: Tenant) -> Int { turns.withLock { $0[tenant] ?? 0 } }
}
