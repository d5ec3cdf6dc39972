internal import JobSpec

/// The rows of settings.
package protocol SettingRows {
    associatedtype Failure: Error

    /// A setting, which no other server changes until the end of the transaction.
    func setting(_ kind: SettingKind, _ name: String) throws(Failure) -> SettingRecord?

    /// The number of settings of a kind.
    func count(_ kind: SettingKind) throws(Failure) -> Int

    /// Stores a setting, in place of an earlier version.
    func put(_ setting: SettingRecord) throws(Failure)

    /// Removes a setting; false when there is none.
    func remove(_ kind: SettingKind, _ name: String) throws(Failure) -> Bool
}

/// Stores a setting under its name, replacing an earlier one unless that says the same. Replies come in the order of
/// the commits.
///
/// Refused with `.full`, `.settingConflict`.
extension SettingDraft: RequestWrite {
    /// The setting with its version.
    package typealias Reply = SettingReceipt

    package var needs: WriteNeeds { WriteNeeds(wholes: [.settings]) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let rows = transaction.settings
        let known = try rows.setting(kind, name)
        if let error = known.conflict(with: ifVersion, name) { return .failure(error) }
        if let known, isSame(known) {
            return .success(SettingReceipt(setting: known, isNew: false, isChanged: false))
        }
        let most = transaction.limits.settingsMax
        if known == nil, try rows.count(kind) >= most { return .failure(.settingsFull(kind, most)) }
        let setting = record(after: known)
        try rows.put(setting)
        try transaction.noteSetting(kind, name, setting)
        return .success(SettingReceipt(setting: setting, isNew: known == nil, isChanged: true))
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) -> SettingDraft {
        var own = self
        own.name = tenant.stored(name)
        return own
    }

    package func shown(_ reply: SettingReceipt, to tenant: Tenant) -> SettingReceipt {
        var reply = reply
        reply.setting = tenant.shown(reply.setting)
        return reply
    }
}

/// Removes a setting.
///
/// Refused with `.missing`, `.settingConflict`.
package struct SettingRemoval: RequestWrite {
    /// Nothing but the success.
    package typealias Reply = Void

    package var kind: SettingKind
    package var name: String
    /// The version that is removed; nil removes any.
    package var ifVersion: Int64?

    package init(_ kind: SettingKind, _ name: String, ifVersion: Int64? = nil) {
        self.kind = kind
        self.name = name
        self.ifVersion = ifVersion
    }

    package var needs: WriteNeeds { WriteNeeds(wholes: [.settings]) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let known = try transaction.settings.setting(kind, name)
        guard known != nil else { return .failure(.noSetting(kind, name)) }
        if let error = known.conflict(with: ifVersion, name) { return .failure(error) }
        _ = try transaction.settings.remove(kind, name)
        try transaction.noteSetting(kind, name, nil)
        return .success(())
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) -> SettingRemoval {
        SettingRemoval(kind, tenant.stored(name), ifVersion: ifVersion)
    }

    package func shown(_ reply: Void, to tenant: Tenant) {}
}

extension SettingRecord? {
    /// The error of a change that expects another version, 0 for none; nil expects any.
    fileprivate func conflict(with expected: Int64?, _ name: String) -> JobStoreError? {
        let version = self?.version ?? 0
        return expected.map { $0 == version } ?? true ? nil : .settingConflict(name, version)
    }
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
