internal import JobKit
internal import JobStore

/// The validators of cached answers in the store, as calls look them up.
final class StoredValidators: ValidatorBook {
    private let store: any JobStore
    private let tenant: Tenant?

    /// - Parameter tenant: whose answers; nil are those without a tenant.
    init(store: any JobStore, tenant: Tenant? = nil) {
        self.store = store
        self.tenant = tenant
    }

    func validator(for key: String) async throws -> AnswerValidator? {
        let key = tenant?.storedText(key) ?? key
        return try await store.read { reader throws(JobStoreError) in try reader.validator(key) }
    }

    func remember(_ validator: AnswerValidator, for key: String) async throws {
        try await store.perform(ValidatorUpdate(validator, for: tenant?.storedText(key) ?? key))
    }
}
