import JobKit
import JobStore

/// The changes by people, in their order.
struct AuditTable: AuditRows {
    private let connection: PostgresConnection
    private let schema: String
    private let insert, page, delete: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        schema = connection.address.schema
        // The row with the last number is locked until the commit: a later number is committed later.
        insert = """
            WITH last AS (UPDATE \(schema).audit_end SET number = number + cardinality($1) RETURNING number) \
            INSERT INTO \(schema).audit (\(AuditRecord.table.list())) \
            SELECT last.number - cardinality($1) + new.place, new.at, new.by, new.kind, \
            new.action, new.target, new.request_id, new.address, new.before, new.after FROM last, \
            unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[], \
            $8::bytea[], $9::bytea[]) WITH ORDINALITY AS new (at, by, kind, action, target, request_id, address, \
            before, after, place)
            """
        page = """
            SELECT \(AuditRecord.table.list()) FROM \(schema).audit \
            WHERE number < $1 AND substring(by from 1 for length($3::bytea)) = $3 ORDER BY number DESC LIMIT $2
            """
        delete = """
            DELETE FROM \(schema).audit WHERE at < $1 \
            AND number = ANY(ARRAY(SELECT number FROM \(schema).audit ORDER BY number LIMIT $2 \
            FOR UPDATE SKIP LOCKED))
            """
    }

    func body(of draft: AuditDraft) throws(PostgresFailure) -> [UInt8]? {
        guard let body = draft.body else { return nil }
        let (table, further) =
            switch body {
            case .setting(let kind): ("setting", " AND kind = \(kind.rawValue)")
            case .template: ("template", " ORDER BY version DESC LIMIT 1")
            case .schedule: ("schedule", "")
            }
        try connection.run("LOCK TABLE \(schema).\(table) IN SHARE ROW EXCLUSIVE MODE")
        let rows = try connection.run(
            "SELECT body FROM \(schema).\(table) WHERE name = $1\(further)", [.raw(draft.record.target)])
        return rows.count == 0 ? nil : rows.bytes(0, 0)
    }

    /// Adds records, in their order.
    func add(_ records: [AuditRecord]) throws(PostgresFailure) {
        if records.isEmpty { return }
        try connection.later(
            insert,
            [
                .times(records.map(\.at)), .raws(records.map(\.by)), .raws(records.map(\.kind)),
                .raws(records.map(\.action)), .raws(records.map(\.target)),
                .raws(records.map(\.requestID)), .raws(records.map(\.address)),
                .raws(records.map(\.before)), .raws(records.map(\.after)),
            ])
    }

    func audits(
        of tenant: Tenant?, before number: Int64?, limit: Int
    ) throws(PostgresFailure) -> [AuditRecord] {
        let rows = try connection.run(
            page, [.integer(number ?? .max), .integer(Int64(limit)), .raw(tenant?.textPrefix ?? "")])
        return try rows.records()
    }

    /// Removes the oldest records, as long as they are from before `time`.
    func remove(before time: Timestamp, limit: Int) throws(PostgresFailure) -> Int {
        try connection.run(delete, [.time(time), .integer(Int64(limit))]).changed
    }
}
