package import JobKit

/// The current version of a setting. There is one for each kind and name.
package struct SettingRecord: Sendable, Hashable {
    /// Its kind.
    package var kind: SettingKind
    /// Its name.
    package var name: String
    /// The number of times it was stored since it was new, from 1.
    package var version: Int64
    /// Its content.
    package var body: [UInt8]
    /// When it was stored last.
    package var updatedAt: Timestamp
    /// The name of whoever stored it last.
    package var updatedBy: String

    /// A setting.
    package init(
        kind: SettingKind, name: String, version: Int64, body: [UInt8], updatedAt: Timestamp,
        updatedBy: String
    ) {
        self.kind = kind
        self.name = name
        self.version = version
        self.body = body
        self.updatedAt = updatedAt
        self.updatedBy = updatedBy
    }
}
