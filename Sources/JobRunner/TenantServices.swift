internal import JobKit
internal import JobSpec
internal import JobStore
internal import Synchronization

/// The services of the jobs of tenants: each tenant has secrets, connections, fetched tokens, grants, validators and
/// keys that no other job reaches.
final class TenantServices: Sendable {
    private let store: any JobStore
    private let settings: RunnerSettings
    /// The services of calls, which hold fetched tokens, and the unique keys of inner operations.
    private let shared = Mutex<[Tenant: (calls: CallServices, uniqueness: UniquenessRegistry)]>([:])

    init(store: any JobStore, settings: RunnerSettings) {
        self.store = store
        self.settings = settings
    }

    /// Gives the environment of a run what is the tenant's; returns the services of its calls.
    func enter(_ tenant: Tenant, _ environment: inout AOperationEnvironment) -> CallServices {
        environment.keyOwner = tenant.name
        environment.grants = StoredGrants(store: store, tenant: tenant)
        environment.validators = StoredValidators(store: store, tenant: tenant)
        let books = settings.tenantBooks?(tenant)
        environment.vault = books?.secrets
        environment.scrubber = books?.scrubber ?? SecretScrubber()
        let own = shared.withLock { shared in
            if let known = shared[tenant] { return known }
            let new = (calls: CallServices(connections: books?.connections), uniqueness: UniquenessRegistry())
            shared[tenant] = new
            return new
        }
        environment.uniqueness = own.uniqueness
        return own.calls
    }
}
