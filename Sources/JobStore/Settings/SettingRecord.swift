package import JobKit

/// The current version of a setting. There is one per kind and name.
package struct SettingRecord: Sendable, Hashable {
    package var kind: SettingKind
    package var name: String
    /// The number of times that it was stored since its creation, from 1.
    package var version: Int64
    package var body: [UInt8]
    package var createdAt: Timestamp
    /// The name of the caller who stored its first version.
    package var createdBy: String
    package var updatedAt: Timestamp
    /// The name of the caller who stored it last.
    package var updatedBy: String

    /// Creates a first version, which was made when it was updated.
    package init(
        kind: SettingKind, name: String, version: Int64, body: [UInt8], updatedAt: Timestamp,
        updatedBy: String
    ) {
        self.kind = kind
        self.name = name
        self.version = version
        self.body = body
        createdAt = updatedAt
        createdBy = updatedBy
        self.updatedAt = updatedAt
        self.updatedBy = updatedBy
    }
}

extension SettingRecord: TableRow {
    package static let table = StoredTable(
        "setting",
        [
            "kind": .number, "name": .text, "version": .number, "body": .bytes, "updated_at": .number,
            "updated_by": .text, "created_at": .number, "created_by": .text,
        ])

    package init?(_ row: inout RowValues) {
        guard let kind = SettingKind(rawValue: row.number()) else { return nil }
        self.init(
            kind: kind, name: row.text(), version: row.number(), body: row.bytes(), updatedAt: row.time(),
            updatedBy: row.text())
        createdAt = row.time()
        createdBy = row.text()
    }

    package var values: [StoredValue] {
        [
            .number(kind.rawValue), .text(name), .number(version), .bytes(body), .init(updatedAt),
            .text(updatedBy), .init(createdAt), .text(createdBy),
        ]
    }
}

package protocol SettingReads: Sendable {
    /// All settings of a kind, by name.
    func settings(_ kind: SettingKind) throws(JobStoreError) -> [SettingRecord]
}
