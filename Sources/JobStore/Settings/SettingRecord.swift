package import JobKit

/// The current version of a setting. There is one per kind and name.
package struct SettingRecord: Sendable, Hashable {
    package var kind: SettingKind
    package var name: String
    /// The number of times that it was stored since its creation, from 1.
    package var version: Int64
    package var body: [UInt8]
    package var updatedAt: Timestamp
    /// The name of the caller who stored it last.
    package var updatedBy: String

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
