internal import JobKit
internal import JobStore

/// The store's grants, as conditions look them up.
final class StoredGrants: GrantBook {
    private let store: any GrantStore & StoreReading

    init(store: any GrantStore & StoreReading) { self.store = store }

    func standing(of name: String) async throws -> GrantStanding {
        let grant = try await store.read { reader throws(JobStoreError) in try reader.grant(name) }
        return grant?.standing ?? GrantStanding(decided: .undetermined)
    }

    func request(_ name: String, scopes: Set<String>, for job: String) async throws -> GrantStanding {
        guard let id = JobID(job) else { return try await standing(of: name) }
        let request = GrantRequest(job: id, scope: scopes.sorted().first, at: SystemClock().now)
        let reply = await withCheckedContinuation { continuation in
            store.request(name, request) { continuation.resume(returning: $0) }
        }
        return try reply.get().standing
    }
}
