internal import JobKit
internal import JobStore
internal import Synchronization

/// The grants of the store as conditions see them.
final class StoredGrants: GrantBook {
    private let store: any GrantStore & StoreReading
    private let reader = Mutex<(any JobReader)?>(nil)

    init(store: any GrantStore & StoreReading) { self.store = store }

    func standing(of name: String) async throws -> GrantStanding {
        let reader = try reader.withLock { known throws(JobStoreError) -> any JobReader in
            if let known { return known }
            let made = try store.makeReader()
            known = made
            return made
        }
        return try reader.grant(name)?.standing ?? GrantStanding(decided: .undetermined)
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
