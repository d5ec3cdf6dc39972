extension StoreCare {
    /// Always sound: for engines that cannot fail.
    package var condition: StoreCondition { .sound }

    /// Never called: for engines that cannot fail.
    package func observeCondition(_ observer: @escaping @Sendable (StoreCondition) -> Void) {}

    /// False: for engines that keep nothing beyond their process.
    package var wasLeftOpen: Bool { false }

    /// Always sound: for engines without a file.
    package func checkIntegrity(readsFiles: Bool, reply: @escaping StoreReply<IntegrityReport>) {
        reply(.success(IntegrityReport(outcome: .sound, bytes: 0, duration: .zero)))
    }

    /// Refused: for engines without a file.
    package func backUp(to target: String, reply: @escaping StoreReply<BackupSummary>) {
        reply(.failure(JobStoreError(.unavailable, "This store has nothing that could be copied.")))
    }

    /// Nil: for engines without a disk.
    package var space: StoreSpace? { nil }

    /// Empty: for engines that write at once.
    package var pressure: StorePressure { StorePressure() }

    /// That of all: for engines whose writes wait for no others.
    package func pressure(of tenant: Tenant?) -> StorePressure { pressure }
}
