// DESIGN
// Several servers may start at once, and each migrates the schema. They meet at the one row of `meta`, which each locks
// for one step: the second one finds the step done. Not an advisory lock: some databases that speak this protocol
// have none, and a pooler breaks those of sessions. Creating the schema and that row cannot be locked: PostgreSQL
// answers the second one with an error, and it looks again.

/// One numbered step from an older shape of the schema to a newer one. Steps are only ever added; `meta.format` is the
/// number of the last one applied.
struct PostgresMigration: Sendable {
    /// From 1 without gaps.
    var number: Int64
    /// The statements, in a schema. They run in one transaction.
    var script: @Sendable (String) -> String

    static let all = [PostgresMigration(number: 1, script: first(in:))]

    /// The shape that this program knows.
    static var newest: Int64 { all.last?.number ?? 0 }

    /// Added to the version while the store becomes a copy of another one. Older programs take it for that of a newer
    /// one.
    static let copying: Int64 = 1_000_000

    /// The version of the schema, in `meta.format`; nil when there is none.
    /// - Parameter locks: whether other migrations wait for the end of the transaction.
    /// - Throws: for a schema of a version before the first release. It called the column `version`, and counted
    ///   otherwise.
    static func version(
        on connection: PostgresConnection, locks: Bool = false
    ) throws(PostgresFailure) -> Int64? {
        let meta = "\(connection.address.schema).meta"
        if try connection.run("SELECT to_regclass($1)::text", [.text(meta)]).isNull(0, 0) { return nil }
        let found: PostgresRows
        do throws(PostgresFailure) {
            found = try connection.run("SELECT format FROM \(meta)\(locks ? " FOR UPDATE" : "")")
        } catch {
            throw error.isUnknownColumn ? .unreleased(connection.address.schema) : error
        }
        guard found.count == 1 else { throw .damaged("\(meta) has \(found.count) rows") }
        return found.integer(0, 0)
    }

    /// Brings the schema to the newest shape, makes it when there is none, and does nothing when it has that shape.
    static func run(
        _ steps: [PostgresMigration] = all, on connection: PostgresConnection
    ) throws(PostgresFailure) {
        try prepare(connection)
        while try step(steps, connection) {}
    }

    /// Checks that the schema has the newest shape.
    static func check(on connection: PostgresConnection) throws(PostgresFailure) {
        let version = try version(on: connection) ?? 0
        try checkFitness(of: version)
        guard version == newest else {
            let schema = connection.address.schema
            throw PostgresFailure(
                state: "JS004",
                message: "its schema \(schema) has version \(version), not \(newest): run jobserver migrate")
        }
    }

    /// Throws for a version that this program cannot migrate.
    private static func checkFitness(of version: Int64, for newest: Int64 = newest) throws(PostgresFailure) {
        if version >= copying { throw .unfinishedCopy }
        guard version <= newest else { throw .newerVersion(version, than: newest) }
    }

    /// One step; false when none is left.
    private static func step(
        _ steps: [PostgresMigration], _ connection: PostgresConnection
    ) throws(PostgresFailure) -> Bool {
        let schema = connection.address.schema
        return try connection.transaction { (connection) throws(PostgresFailure) in
            let version = try version(on: connection, locks: true) ?? 0
            try checkFitness(of: version, for: steps.last?.number ?? 0)
            guard let next = steps.first(where: { $0.number > version }) else { return false }
            try connection.execute(next.script(schema))
            try connection.run("UPDATE \(schema).meta SET format = $1", [.integer(next.number)])
            return true
        }
    }

    /// Makes the schema with the row that says its version.
    private static func prepare(_ connection: PostgresConnection) throws(PostgresFailure) {
        let schema = connection.address.schema
        for tries in 1... {
            // A role that may not create schemas may still use one.
            if try version(on: connection) != nil { return }
            do throws(PostgresFailure) {
                try connection.transaction { (connection) throws(PostgresFailure) in
                    try connection.execute(
                        """
                        CREATE SCHEMA IF NOT EXISTS \(schema);
                        CREATE TABLE \(schema).meta (format bigint NOT NULL);
                        INSERT INTO \(schema).meta VALUES (0);
                        """)
                }
            } catch {
                guard error.isMadeAlready, tries < 20 else { throw error }
            }
        }
    }
}

extension PostgresFailure {
    /// Whether another connection just made the same thing.
    fileprivate var isMadeAlready: Bool { isConstraint || state == "42P07" || state == "42P06" }
}
