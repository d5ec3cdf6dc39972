package import JobKit

/// One version of a stored template. Versions never change.
package struct TemplateRecord: Sendable, Hashable {
    package var name: String
    /// The version number, from 1 without gaps.
    package var version: Int64
    /// The template as canonical JSON: `{"operation": …, "parameters": …}`.
    package var body: [UInt8]
    package var createdAt: Timestamp
    /// The name of the caller who stored it.
    package var createdBy: String
    /// The time of the first version.
    package var firstAt: Timestamp
    /// The name of the caller who stored the first version.
    package var firstBy: String

    /// Creates a version, the first one unless the store finds others. The store assigns its number.
    package init(
        name: String, version: Int64 = 0, body: [UInt8], createdAt: Timestamp, createdBy: String
    ) {
        self.name = name
        self.version = version
        self.body = body
        self.createdAt = createdAt
        self.createdBy = createdBy
        firstAt = createdAt
        firstBy = createdBy
    }
}

extension TemplateRecord: TableRow {
    package static let table = StoredTable(
        "template",
        ["name": .text, "version": .number, "body": .bytes, "created_at": .number, "created_by": .text])

    package init(_ row: inout RowValues) {
        self.init(
            name: row.text(), version: row.number(), body: row.bytes(), createdAt: row.time(),
            createdBy: row.text())
    }

    package var values: [StoredValue] {
        [.text(name), .number(version), .bytes(body), .init(createdAt), .text(createdBy)]
    }
}

package protocol TemplateReads: Sendable {
    /// A version of a template, the newest when `version` is nil; nil when there is none.
    func template(_ name: String, version: Int64?) throws(JobStoreError) -> TemplateRecord?

    /// The newest version of each template without its body, by name.
    func templates() throws(JobStoreError) -> [TemplateRecord]
}

/// The effect of storing a template.
package struct TemplateReceipt: Sendable {
    package var template: TemplateRecord
    /// Whether it is a new version; otherwise the newest was identical.
    package var isNew: Bool

    package init(template: TemplateRecord, isNew: Bool) {
        self.template = template
        self.isNew = isNew
    }
}
