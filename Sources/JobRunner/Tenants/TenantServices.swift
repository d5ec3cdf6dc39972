internal import JobKit
internal import JobSpec
internal import JobStore
internal import Synchronization

extension JobStore {
    /// This store for what the server itself writes about a tenant's things, one after the other for all tenants. It
    /// has turns of its own, so that others do not wait behind what the tenant's clients send.
    func writingForServer(of tenant: Tenant?) -> any JobStore {
        guard let tenant else { return self }
        return writing(for: Tenant(tenant.prefix))
    }
}

extension OperationEnvironment {
    /// Makes it look up grants, validators and uploads in a store.
    /// - Parameter tenant: whose; nil are those without a tenant.
    mutating func look(in store: any JobStore, for tenant: Tenant?) {
        grants = StoredGrants(store: store, tenant: tenant)
        validators = StoredValidators(store: store, tenant: tenant)
        uploads = StoredUploads(store: store, tenant: tenant)
    }
}

/// The services of the jobs of tenants: each tenant has secrets, connections, fetched tokens, grants, validators and
/// keys that no other job reaches, a share of the loop, and turns when the store writes.
final class TenantServices: Sendable {
    private struct Own: Sendable {
        /// Makes the tenant's writes.
        let store: any JobStore
        /// They hold fetched tokens.
        let calls: CallServices
        /// The unique keys of inner operations.
        let uniqueness = UniquenessRegistry()
        let executor: any TaskExecutor
    }

    private let store: any JobStore
    private let loop: any EngineLoop
    private let books: @Sendable (Tenant?) -> CallBooks
    private let shared = Mutex<[Tenant: Own]>([:])

    init(
        store: any JobStore, loop: any EngineLoop, books: @escaping @Sendable (Tenant?) -> CallBooks
    ) {
        self.store = store
        self.loop = loop
        self.books = books
    }

    /// Gives the environment of a run what is the tenant's; returns the services of its calls.
    func enter(_ tenant: Tenant, _ environment: inout OperationEnvironment) -> CallServices {
        let books = books(tenant)
        let own = own(of: tenant)
        environment.keyOwner = tenant.name
        environment.look(in: own.store, for: tenant)
        environment.vault = books.secrets
        environment.scrubber = books.scrubber
        environment.uniqueness = own.uniqueness
        environment.executor = own.executor
        return own.calls
    }

    /// The store for the writes of a tenant.
    func store(of tenant: Tenant) -> any JobStore { own(of: tenant).store }

    private func own(of tenant: Tenant) -> Own {
        shared.withLock { shared in
            if let known = shared[tenant] { return known }
            let new = Own(
                store: store.writing(for: tenant),
                calls: CallServices(connections: books(tenant).connections),
                executor: loop.makeShare())
            shared[tenant] = new
            return new
        }
    }
}
