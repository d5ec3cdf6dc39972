import JobKit
import JobStore

/// The rows of grants with their requests.
struct GrantTable: GrantRows {
    private let connection: PostgresConnection
    private let select, lock, share, page, insert, delete, countAll: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let table = "\(connection.address.schema).capability"
        select = "SELECT \(GrantRecord.columns) FROM \(table) WHERE name = ANY($1)"
        lock = select + " FOR UPDATE"
        share = select + " ORDER BY name FOR SHARE"
        page = "SELECT \(GrantRecord.columns) FROM \(table) WHERE name > $1 ORDER BY name LIMIT $2"
        insert = """
            INSERT INTO \(table) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) \
            ON CONFLICT (name) DO UPDATE SET \
            status = excluded.status, scopes = excluded.scopes, expires_at = excluded.expires_at, \
            reason = excluded.reason, updated_at = excluded.updated_at, updated_by = excluded.updated_by, \
            requested_at = excluded.requested_at, requested_by = excluded.requested_by, \
            requested_scope = excluded.requested_scope, version = excluded.version, \
            created_at = excluded.created_at, created_by = excluded.created_by
            """
        delete = "DELETE FROM \(table) WHERE name = ANY($1)"
        countAll = "SELECT count(*) FROM \(table)"
    }

    /// Locks grants, later, in the order of their names.
    /// - Parameters:
    ///   - names: those that are changed. While some are added, no other server adds any.
    ///   - awaited: those for which jobs are suspended, which are locked against changes.
    func lock(_ names: [String], awaited: [String]) throws(PostgresFailure) {
        let all = names + awaited
        if all.isEmpty { return }
        if names.isEmpty { return try connection.later(share, [.raws(all)]) }
        try connection.later("LOCK TABLE \(connection.address.schema).capability IN SHARE ROW EXCLUSIVE MODE")
        try connection.later(select + " ORDER BY name FOR UPDATE", [.raws(all)])
    }

    func grant(_ name: String) throws(PostgresFailure) -> GrantRecord? { try grant(name, locks: true) }

    func grant(_ name: String, locks: Bool) throws(PostgresFailure) -> GrantRecord? {
        try grants(locks ? lock : select, [.raws([name])]).first
    }

    func grants(after: String, limit: Int) throws(PostgresFailure) -> [GrantRecord] {
        try grants(page, [.raw(after), .integer(Int64(limit))])
    }

    private func grants(_ sql: String, _ values: [PostgresValue]) throws(PostgresFailure) -> [GrantRecord] {
        let rows = try connection.run(sql, values)
        var found: [GrantRecord] = []
        for row in 0..<rows.count { found.append(try GrantRecord(rows, row)) }
        return found
    }

    func put(_ grant: GrantRecord) throws(PostgresFailure) {
        try connection.run(
            insert,
            [
                .raw(grant.name), .integer(grant.decided.stored), .raw(grant.scopes.joined(separator: " ")),
                .time(grant.expiresAt), .raw(grant.reason), .time(grant.updatedAt), .raw(grant.updatedBy),
                .time(grant.request?.at), .id(grant.request?.job), .raw(grant.request?.scope),
                .integer(grant.version), .time(grant.createdAt), .raw(grant.createdBy),
            ])
    }

    func remove(_ name: String) throws(PostgresFailure) { try connection.run(delete, [.raws([name])]) }

    func count() throws(PostgresFailure) -> Int { Int(try connection.run(countAll).integer(0, 0)) }

    /// Whether one of the grants that a job is suspended for was decided or removed meanwhile. Their rows stay locked
    /// until the end of the transaction: who decides about one waits, and then finds the suspended job.
    func hasNews(for wakeKeys: [String]) throws(PostgresFailure) -> Bool {
        let names = wakeKeys.compactMap { GrantRequest.name(wakeKey: $0) }
        if names.isEmpty { return false }
        let now = SystemClock().now
        let asked = try grants(share, [.raws(names)]).filter { $0.isAsked(at: now) }
        return asked.count < Set(names).count
    }
}

extension GrantRecord {
    /// The columns, in the order of `init`.
    fileprivate static let columns = """
        name, status, scopes, expires_at, reason, updated_at, updated_by, requested_at, requested_by, \
        requested_scope, version, created_at, created_by
        """

    /// Reads a row of `columns`.
    fileprivate init(_ rows: PostgresRows, _ row: Int) throws(PostgresFailure) {
        self.init(name: rows.text(row, 0))
        guard let status = GrantStatus(stored: rows.integer(row, 1)) else {
            throw .damaged("the grant \(name) has the unknown status \(rows.integer(row, 1))")
        }
        decided = status
        scopes = rows.names(row, 2, by: " ")
        expiresAt = rows.time(row, 3)
        reason = rows.optionalText(row, 4)
        updatedAt = rows.time(row, 5)
        updatedBy = rows.optionalText(row, 6)
        version = rows.integer(row, 10)
        createdAt = rows.time(row, 11)
        createdBy = rows.optionalText(row, 12)
        if let at = rows.time(row, 7) {
            request = GrantRequest(job: rows.id(row, 8), scope: rows.optionalText(row, 9), at: at)
        }
    }
}
