internal import JobKit
internal import JobSpec
internal import JobStore
internal import Synchronization

/// The services of the jobs of tenants: each tenant has secrets, connections, fetched tokens, grants, validators and
/// keys that no other job reaches, and a share of the loop.
final class TenantServices: Sendable {
    private struct Own: Sendable {
        /// They hold fetched tokens.
        let calls: CallServices
        /// The unique keys of inner operations.
        let uniqueness = UniquenessRegistry()
        let executor: any TaskExecutor
    }

    private let store: any JobStore
    private let loop: any EngineLoop
    private let settings: RunnerSettings
    private let shared = Mutex<[Tenant: Own]>([:])

    init(store: any JobStore, loop: any EngineLoop, settings: RunnerSettings) {
        self.store = store
        self.loop = loop
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
            let new = Own(
                calls: CallServices(connections: books?.connections), executor: loop.makeShare())
            shared[tenant] = new
            return new
        }
        environment.uniqueness = own.uniqueness
        environment.executor = own.executor
        return own.calls
    }
}
