import CPostgres

/// The address of a database: a connection string of libpq, `postgres://…` or `host=… dbname=…`, and the schema.
struct PostgresAddress: Sendable {
    /// The connection string. May contain a password: never shown.
    let connection: String
    /// The schema of the store.
    let schema: String
    /// The limit for establishing a connection.
    var connectTimeout: Duration = .seconds(5)
    /// The limit of a statement, after which the connection is closed.
    var statementTimeout: Duration = .seconds(30)
    /// Whether statements are prepared once for each connection. False for a pooler that assigns each transaction to
    /// another connection and does not support prepared statements.
    var preparesStatements = true

    /// - Throws: when `schema` is not a name in lower case that needs no quotes.
    init(_ connection: String, schema: String = "jobserver") throws(PostgresFailure) {
        let isName = schema.utf8.enumerated().allSatisfy { place, byte in
            (0x61...0x7A).contains(byte) || byte == 0x5F || (place > 0 && (0x30...0x39).contains(byte))
        }
        guard isName, (1...63).contains(schema.utf8.count), !schema.hasPrefix("pg_") else {
            throw PostgresFailure(
                state: "3F000",
                message: "\"\(schema)\" is no name for a schema: lower-case letters, digits and _ are")
        }
        self.connection = connection
        self.schema = schema
    }
}
