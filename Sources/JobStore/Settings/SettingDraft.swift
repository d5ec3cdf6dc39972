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
    /// Makes the content for the version that the store assigns. Called on the store's thread, possibly twice.
    package var body: @Sendable (Int64) -> [UInt8]

    /// The version that it replaces, 0 for none; nil replaces any. Another one is a conflict.
    package var ifVersion: Int64?

    package init(
        kind: SettingKind, name: String, updatedAt: Timestamp, updatedBy: String, bytes: Int = 0,
        body: @escaping @Sendable (Int64) -> [UInt8]
    ) {
        self.kind = kind
        self.name = name
        self.updatedAt = updatedAt
        self.updatedBy = updatedBy
        self.bytes = bytes
        self.body = body
    }

    /// The setting with its version.
    package func record(version: Int64) -> SettingRecord {
        SettingRecord(
            kind: kind, name: name, version: version, body: body(version), updatedAt: updatedAt,
            updatedBy: updatedBy)
    }
}
