extension StoreCare {
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
