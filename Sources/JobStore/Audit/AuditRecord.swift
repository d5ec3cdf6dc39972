package import JobKit

/// One change by a person.
package struct AuditRecord: Sendable, Hashable {
    /// Whether the target is a name rather than an id.
    package var isByName: Bool {
        SettingKind(collection: kind) != nil || ["grants", "schedules", "templates"].contains(kind)
    }

    /// The order of the changes, from 1. Assigned by the store.
    package var number: Int64 = 0
    package var at: Timestamp
    /// The name of the caller.
    package var by: String
    /// The kind of the changed thing, such as `jobs` or `queues`.
    package var kind: String
    /// The change, such as `cancel` or `put`.
    package var action: String
    /// The id or the name of the changed thing.
    package var target: String
    /// Nil for a change that no request made, as is the address.
    package var requestID: String?
    /// The address of the client.
    package var address: String?
    /// The digest of the stored body before the change; nil where there was none.
    package var before: String?
    /// The digest of the stored body after the change; nil where there is none.
    package var after: String?

    package init(
        at: Timestamp, by: String, kind: String, action: String, target: String,
        requestID: String? = nil, address: String? = nil
    ) {
        self.at = at
        self.by = by
        self.kind = kind
        self.action = action
        self.target = target
        self.requestID = requestID
        self.address = address
    }
}

extension AuditRecord: TableRow {
    package static let table = StoredTable(
        "audit",
        [
            "number": .number, "at": .number, "by": .text, "kind": .text, "action": .text,
            "target": .text, "request_id": .text, "address": .text, "before": .text, "after": .text,
        ])

    package init(_ row: inout RowValues) {
        let number = row.number()
        self.init(
            at: row.time(), by: row.text(), kind: row.text(), action: row.text(), target: row.text(),
            requestID: row.optionalText(), address: row.optionalText())
        self.number = number
        before = row.optionalText()
        after = row.optionalText()
    }

    /// NULL in place of a number that the store assigns.
    package var values: [StoredValue] {
        [
            number == 0 ? .null : .number(number), .init(at), .text(by), .text(kind), .text(action),
            .text(target), .init(requestID), .init(address), .init(before), .init(after),
        ]
    }
}

/// Reads of the changes by people.
package protocol AuditReads: Sendable {
    /// Up to `limit` (1…10,000) records before `number` (nil for all), the newest first.
    /// - Parameter tenant: whose changes; nil is everything.
    func audits(
        of tenant: Tenant?, before number: Int64?, limit: Int
    ) throws(JobStoreError) -> [AuditRecord]
}

extension AuditReads {
    /// Up to `limit` (1…10,000) records before `number` (nil for all), the newest first.
    package func audits(before number: Int64?, limit: Int) throws(JobStoreError) -> [AuditRecord] {
        try audits(of: nil, before: number, limit: limit)
    }
}
