import JobStore

/// The settings of a ledger in a transaction.
struct MemorySettings: SettingRows {
    let transaction: MemoryTransaction

    func setting(_ kind: SettingKind, _ name: String) -> SettingRecord? {
        transaction.ledger.settings[kind]?[name]
    }

    func count(_ kind: SettingKind) -> Int { transaction.ledger.settings[kind]?.count ?? 0 }

    func put(_ setting: SettingRecord) {
        transaction.ledger.settings[setting.kind, default: [:]][setting.name] = setting
    }

    func remove(_ kind: SettingKind, _ name: String) -> Bool {
        transaction.ledger.settings[kind]?.removeValue(forKey: name) != nil
    }
}
