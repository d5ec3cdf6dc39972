import JobKit
import JobStore

/// The rows of grants with their requests.
struct GrantTable: GrantRows {
    private let connection: PostgresConnection
    private let select, lock, share, page, insert, delete, countAll: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let table = "\(connection.address.schema).capability"
        select = "SELECT \(GrantRecord.table.list()) FROM \(table) WHERE name = ANY($1)"
        lock = select + " FOR UPDATE"
        share = select + " ORDER BY name FOR SHARE"
        page = "SELECT \(GrantRecord.table.list()) FROM \(table) WHERE name > $1 ORDER BY name LIMIT $2"
        insert = GrantRecord.table.replacement(in: connection.address.schema, of: "name")
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
        try connection.run(sql, values).records()
    }

    func put(_ grant: GrantRecord) throws(PostgresFailure) {
        try connection.run(insert, grant.parameters)
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
