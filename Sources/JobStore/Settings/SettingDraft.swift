package import JobKit

/// A setting that is to be stored.
package struct SettingDraft: Sendable {
    /// Its kind.
    package var kind: SettingKind
    /// Its name.
    package var name: String
    /// When it is stored.
    package var updatedAt: Timestamp
    /// The name of whoever stores it.
    package var updatedBy: String
    /// Makes the content for the version that the store gives it. Called on the store's thread, maybe twice.
    package var body: @Sendable (Int64) -> [UInt8]

    /// A setting to be stored.
    package init(
        kind: SettingKind, name: String, updatedAt: Timestamp, updatedBy: String,
        body: @escaping @Sendable (Int64) -> [UInt8]
    ) {
        self.kind = kind
        self.name = name
        self.updatedAt = updatedAt
        self.updatedBy = updatedBy
        self.body = body
    }

    /// The setting with its version.
    package func record(version: Int64) -> SettingRecord {
        SettingRecord(
            kind: kind, name: name, version: version, body: body(version), updatedAt: updatedAt,
            updatedBy: updatedBy)
    }
}
