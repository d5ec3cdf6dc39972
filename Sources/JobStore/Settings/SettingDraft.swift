package import JobKit

/// A setting to be stored.
package struct SettingDraft: Sendable {
    package var kind: SettingKind
    package var name: String
    package var updatedAt: Timestamp
    /// The name of the caller who stores it.
    package var updatedBy: String
    /// The approximate size of the content.
    package var bytes: Int
    /// Makes the content that follows on a stored version. Called on the store's thread, possibly twice.
    package var body: @Sendable (SettingRecord?) -> [UInt8]

    /// The version that it replaces, 0 for none; nil replaces any. Another one is a conflict.
    package var ifVersion: Int64?
    /// Whether a stored setting says the same already, and is left as it is. Called on the store's thread.
    package var isSame: @Sendable (SettingRecord) -> Bool = { _ in false }

    package init(
        kind: SettingKind, name: String, updatedAt: Timestamp, updatedBy: String, bytes: Int = 0,
        body: @escaping @Sendable (SettingRecord?) -> [UInt8]
    ) {
        self.kind = kind
        self.name = name
        self.updatedAt = updatedAt
        self.updatedBy = updatedBy
        self.bytes = bytes
        self.body = body
    }

    /// The version that follows on a stored one.
    package func record(after known: SettingRecord?) -> SettingRecord {
        let version = (known?.version ?? 0) + 1
        var record = SettingRecord(
            kind: kind, name: name, version: version, body: body(known), updatedAt: updatedAt,
            updatedBy: updatedBy)
        if let known {
            record.createdAt = known.createdAt
            record.createdBy = known.createdBy
        }
        return record
    }
}

/// The effect of storing a setting.
package struct SettingReceipt: Sendable {
    package var setting: SettingRecord
    /// Whether there was none of this name.
    package var isNew: Bool
    /// Whether it was stored; otherwise it said the same before.
    package var isChanged: Bool

    package init(setting: SettingRecord, isNew: Bool, isChanged: Bool) {
        self.setting = setting
        self.isNew = isNew
        self.isChanged = isChanged
    }
}
