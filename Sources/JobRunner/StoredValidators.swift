internal import JobKit
internal import JobStore
internal import Synchronization

/// The marks of answers that the store keeps, as calls see them.
final class StoredValidators: ValidatorBook {
    private let store: any ValidatorStore & StoreReading
    private let reader = Mutex<(any JobReader)?>(nil)

    init(store: any ValidatorStore & StoreReading) { self.store = store }

    func validator(for key: String) async throws -> AnswerValidator? {
        let reader = try reader.withLock { known throws(JobStoreError) -> any JobReader in
            if let known { return known }
            let made = try store.makeReader()
            known = made
            return made
        }
        return try reader.validator(key)
    }

    func remember(_ validator: AnswerValidator, for key: String) async throws {
        let reply = await withCheckedContinuation { continuation in
            store.remember(validator, for: key) { continuation.resume(returning: $0) }
        }
        try reply.get()
    }
}
