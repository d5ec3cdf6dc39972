/// Keeps what operators store for all jobs: secrets and connections.
package protocol SettingStore: Sendable {
    /// Rises with every change of a setting, before its reply comes: what was read under a lower one is old. Cheap
    /// enough to be asked for every call.
    var settingsVersion: Int64 { get }

    /// Stores a setting under its name and replaces the one before. The reply is the record.
    ///
    /// Replies come in the order of the commits.
    /// - Throws (in the reply): `.settingsFull`.
    func put(_ draft: SettingDraft, reply: @escaping @Sendable (Result<SettingRecord, JobStoreError>) -> Void)

    /// Removes a setting.
    /// - Throws (in the reply): `.noSetting`.
    func removeSetting(
        _ kind: SettingKind, _ name: String,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)
}
