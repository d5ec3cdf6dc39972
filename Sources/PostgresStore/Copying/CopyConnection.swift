import JobKit
import JobStore

/// A connection to a store that is copied, or becomes a copy.
struct CopyConnection {
    let connection: PostgresConnection
    var schema: String { connection.address.schema }

    /// A copy has statements that take long: sorts, counts, the last commit.
    private static let statementTimeout = Duration.seconds(6 * 3_600)

    init(_ connection: String, schema: String, options: PostgresOptions) throws(PostgresFailure) {
        var address = try PostgresAddress(connection, schema: schema)
        address.preparesStatements = options.preparesStatements
        address.statementTimeout = Self.statementTimeout
        self.connection = try PostgresConnection(address)
    }

    /// The version of the schema; nil when there is none.
    func version() throws(PostgresFailure) -> Int64? { try PostgresMigration.version(on: connection) }

    /// The error for a schema of another version than this program has.
    func misfit(_ version: Int64) -> JobStoreError? {
        if version == PostgresMigration.newest { return nil }
        let text =
            "The schema \(schema) has version \(version), this program knows \(PostgresMigration.newest). "
        return JobStoreError(
            .unavailable,
            version > PostgresMigration.newest
                ? text + "Copy with that newer version."
                : text + "Run jobserver migrate --store … with this program.")
    }

    /// The error for a store that servers use; nil when none does.
    func use() throws(PostgresFailure) -> JobStoreError? {
        let rows = try connection.run(
            """
            SELECT count(*) FROM \(schema).lease WHERE NOT is_lost \
            AND until > (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            """)
        let count = rows.integer(0, 0)
        if count == 0 { return nil }
        return JobStoreError(
            .unavailable,
            """
            \(count) \(count == 1 ? "server uses" : "servers use") the schema \(schema). Stop all servers first: only \
            a store at rest is copied. One that was killed counts until its lease ends.
            """)
    }

    /// The time at which the last server opened the store.
    func lastStart() throws(PostgresFailure) -> Int64 {
        try connection.run("SELECT coalesce(max(started_at), 0) FROM \(schema).server").integer(0, 0)
    }
}
