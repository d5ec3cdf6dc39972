internal import JobKit
internal import JobStore

/// The validators of cached answers in the store, as calls look them up.
final class StoredValidators: ValidatorBook {
    private let store: any ValidatorStore & StoreReading

    init(store: any ValidatorStore & StoreReading) { self.store = store }

    func validator(for key: String) async throws -> AnswerValidator? {
        try await store.read { reader throws(JobStoreError) in try reader.validator(key) }
    }

    func remember(_ validator: AnswerValidator, for key: String) async throws {
        let reply = await withCheckedContinuation { continuation in
            store.remember(validator, for: key) { continuation.resume(returning: $0) }
        }
        try reply.get()
    }
}
