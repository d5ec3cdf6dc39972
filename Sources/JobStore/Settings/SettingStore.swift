/// Keeps the settings that apply to all jobs: secrets, connections, and limits of queues and origins.
package protocol SettingStore: Sendable {
    /// Rises with every change of a setting, before its reply comes: values read at a lower version are out of date.
    /// Cheap enough for every call.
    var settingsVersion: Int64 { get }

    /// Stores a setting under its name, replacing an earlier one. The reply is the record.
    ///
    /// Replies come in the order of the commits.
    /// - Throws (in the reply): `.settingsFull`, `.settingConflict`.
    func put(_ draft: SettingDraft, reply: @escaping @Sendable (Result<SettingRecord, JobStoreError>) -> Void)

    /// Removes a setting.
    /// - Throws (in the reply): `.noSetting`.
    func removeSetting(
        _ kind: SettingKind, _ name: String,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)
}
