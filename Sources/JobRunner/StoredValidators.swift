internal import JobKit
internal import JobStore

/// The validators of cached answers in the store, as calls look them up.
final class StoredValidators: ValidatorBook {
    private let store: any ValidatorStore & StoreReading

    private let tenant: Tenant?

    /// - Parameter tenant: whose answers; nil are those without a tenant.
    init(store: any ValidatorStore & StoreReading, tenant: Tenant? = nil) {
        self.store = store
        self.tenant = tenant
    }

    func validator(for key: String) async throws -> AnswerValidator? {
        let key = tenant?.storedText(key) ?? key
        return try await store.read { reader throws(JobStoreError) in try reader.validator(key) }
    }

    func remember(_ validator: AnswerValidator, for key: String) async throws {
        let reply = await withCheckedContinuation { continuation in
            store.remember(validator, for: tenant?.storedText(key) ?? key) {
                continuation.resume(returning: $0)
            }
        }
        try reply.get()
    }
}
