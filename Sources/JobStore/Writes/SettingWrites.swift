internal import JobSpec

/// The rows of settings.
package protocol SettingRows {
    associatedtype Failure: Error

    /// The version of a setting, 0 for none; no other server changes it until the end of the transaction.
    func version(of kind: SettingKind, _ name: String) throws(Failure) -> Int64

    /// The number of settings of a kind.
    func count(_ kind: SettingKind) throws(Failure) -> Int

    /// Stores a setting, in place of an earlier version.
    func put(_ setting: SettingRecord) throws(Failure)

    /// Removes a setting; false when there is none.
    func remove(_ kind: SettingKind, _ name: String) throws(Failure) -> Bool
}

/// Stores a setting under its name, replacing an earlier one. Replies come in the order of the commits.
///
/// Refused with `.full`, `.settingConflict`.
extension SettingDraft: RequestWrite {
    /// The setting with its version.
    package typealias Reply = SettingRecord

    package var needs: WriteNeeds { WriteNeeds(wholes: [.settings]) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let rows = transaction.settings
        let version = try rows.version(of: kind, name)
        if let ifVersion, ifVersion != version { return .failure(.settingConflict(name, version)) }
        let most = transaction.limits.settingsMax
        if version == 0, try rows.count(kind) >= most { return .failure(.settingsFull(kind, most)) }
        let setting = record(version: version + 1)
        try rows.put(setting)
        try transaction.noteSetting(kind, name, setting)
        return .success(setting)
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) -> SettingDraft {
        var own = self
        own.name = tenant.stored(name)
        return own
    }

    package func shown(_ reply: SettingRecord, to tenant: Tenant) -> SettingRecord { tenant.shown(reply) }
}

/// Removes a setting.
///
/// Refused with `.missing`.
package struct SettingRemoval: RequestWrite {
    /// Nothing but the success.
    package typealias Reply = Void

    package var kind: SettingKind
    package var name: String

    package init(_ kind: SettingKind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    package var needs: WriteNeeds { WriteNeeds(wholes: [.settings]) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard try transaction.settings.remove(kind, name) else { return .failure(.noSetting(kind, name)) }
        try transaction.noteSetting(kind, name, nil)
        return .success(())
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) -> SettingRemoval {
        SettingRemoval(kind, tenant.stored(name))
    }

    package func shown(_ reply: Void, to tenant: Tenant) {}
}

extension StoreTransaction {
    /// Follows a setting that is stored or removed.
    fileprivate func noteSetting(
        _ kind: SettingKind, _ name: String, _ setting: SettingRecord?
    ) throws(Failure) {
        noteErasure()
        try noteSettings()
        if kind == .queue { try configure(name, setting.map { QueueSpec($0) }) }
    }
}
