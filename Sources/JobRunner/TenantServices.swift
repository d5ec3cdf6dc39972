internal import JobKit
internal import JobSpec
internal import JobStore
internal import Synchronization

/// The services of the jobs of tenants: each tenant has secrets, connections, fetched tokens, grants, validators and
/// exclusive keys that no other job reaches.
final class TenantServices: Sendable {
    private let store: any JobStore
    private let settings: RunnerSettings
    /// The services of calls, which hold fetched tokens.
    private let calls = Mutex<[Tenant: CallServices]>([:])

    init(store: any JobStore, settings: RunnerSettings) {
        self.store = store
        self.settings = settings
    }

    /// Gives the environment of a run what is the tenant's; returns the services of its calls.
    func enter(_ tenant: Tenant, _ environment: inout AOperationEnvironment) -> CallServices {
        environment.keyPrefix = tenant.prefix
        environment.grants = StoredGrants(store: store, tenant: tenant)
        environment.validators = StoredValidators(store: store, tenant: tenant)
        let books = settings.tenantBooks?(tenant)
        environment.vault = books?.0
        return calls.withLock { calls in
            if let known = calls[tenant] { return known }
            let services = CallServices(connections: books?.1)
            calls[tenant] = services
            return services
        }
    }
}
