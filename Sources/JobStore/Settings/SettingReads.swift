package protocol SettingReads: Sendable {
    /// All settings of a kind, by name.
    func settings(_ kind: SettingKind) throws(JobStoreError) -> [SettingRecord]
}
