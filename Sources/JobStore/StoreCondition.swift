/// Whether a store can take writes, as far as it knows. Reads go on in every condition.
package enum StoreCondition: Sendable, Hashable {
    /// It takes writes.
    case sound
    /// There is no space: every write is refused with `.diskFull`. The store tries by itself until there is.
    case full(String)
    /// Its file cannot be written: every write is refused with `.unavailable`. The store tries by itself until it can.
    case failing(String)
    /// Something of what is stored is wrong, which does not heal. The store does what it still can; new work is better
    /// not begun.
    case damaged(String)

    /// Why new work is not taken; nil when it is.
    package var refusal: JobStoreError? {
        switch self {
        case .sound: nil
        case .full(let detail): JobStoreError(.diskFull, detail)
        case .failing(let detail): JobStoreError(.unavailable, detail)
        case .damaged(let detail): JobStoreError(.corrupt, detail)
        }
    }
}

/// How much work waits to be stored.
package struct StorePressure: Sendable, Hashable {
    /// How many writes wait.
    package var waiting = 0
    /// For how long the oldest of them has been waiting.
    package var oldest: Duration = .zero

    /// Nothing waits.
    package init(waiting: Int = 0, oldest: Duration = .zero) {
        self.waiting = waiting
        self.oldest = oldest
    }
}

extension JobStore {
    /// Always sound: for engines that have nothing that could fail.
    package var condition: StoreCondition { .sound }

    /// Never called: for engines that have nothing that could fail.
    package func observeCondition(_ observer: @escaping @Sendable (StoreCondition) -> Void) {}

    /// No: for engines that keep nothing beyond their process.
    package var wasLeftOpen: Bool { false }

    /// Always sound: for engines that have no file.
    package func checkIntegrity(
        readsFiles: Bool, reply: @escaping @Sendable (Result<IntegrityReport, JobStoreError>) -> Void
    ) {
        reply(.success(IntegrityReport(outcome: .sound, bytes: 0, duration: .zero)))
    }

    /// Refused: for engines that have no file.
    package func backUp(
        to target: String, reply: @escaping @Sendable (Result<BackupSummary, JobStoreError>) -> Void
    ) {
        reply(.failure(JobStoreError(.unavailable, "This store has nothing that could be copied.")))
    }

    /// Nothing waits: for engines that write at once.
    package var pressure: StorePressure { StorePressure() }
}
