package import JobKit

/// What operators store by name for all jobs.
package enum SettingKind: Int64, Sendable, Hashable, CaseIterable {
    /// A value that is shown to nobody; its body is encrypted before it comes to the store.
    case secret = 1
    /// A place that calls go to, as canonical JSON.
    case connection = 2
}

/// One setting as it stands now. There is one for each kind and name.
package struct SettingRecord: Sendable, Hashable {
    /// What it is.
    package var kind: SettingKind
    /// Its name.
    package var name: String
    /// How often it was stored since it was new, from 1.
    package var version: Int64
    /// Its content.
    package var body: [UInt8]
    /// When it was stored last.
    package var updatedAt: Timestamp
    /// Who stored it last.
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

/// A setting that is to be stored.
package struct SettingDraft: Sendable {
    /// What it is.
    package var kind: SettingKind
    /// Its name.
    package var name: String
    /// When it is stored.
    package var updatedAt: Timestamp
    /// Who stores it.
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
    func record(version: Int64) -> SettingRecord {
        SettingRecord(
            kind: kind, name: name, version: version, body: body(version), updatedAt: updatedAt,
            updatedBy: updatedBy)
    }
}
