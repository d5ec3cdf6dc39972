internal import JobKit
internal import JobStore

/// The store's grants, as conditions look them up.
final class StoredGrants: GrantBook {
    private let store: any JobStore

    private let tenant: Tenant?

    /// - Parameter tenant: whose grants; nil are those without a tenant.
    init(store: any JobStore, tenant: Tenant? = nil) {
        self.store = store
        self.tenant = tenant
    }

    func standing(of name: String) async throws -> GrantStanding {
        let stored = tenant?.stored(name) ?? name
        let grant = try await store.read { reader throws(JobStoreError) in try reader.grant(stored) }
        return grant?.standing ?? GrantStanding(decided: .undetermined)
    }

    func request(_ name: String, scopes: Set<String>, for job: String) async throws -> GrantStanding {
        guard let id = JobID(job) else { return try await standing(of: name) }
        let request = GrantRequest(job: id, scope: scopes.sorted().first, at: SystemClock().now)
        return try await store.perform(GrantApplication(tenant?.stored(name) ?? name, request)).standing
    }
}
