import CPostgres

/// The address of a database as libpq reads it, `postgres://…` or `host=… dbname=…`, and the schema in it.
struct PostgresAddress: Sendable {
    /// The connection string of libpq. It may hold a password and is never shown.
    let connection: String
    /// The schema of the store.
    let schema: String
    /// The timeout of connecting to one host. libpq knows none below 2 s.
    var connectTimeout: Duration = .seconds(5)
    /// The timeout of a statement; the connection is closed then.
    var statementTimeout: Duration = .seconds(30)
    /// Whether statements are prepared once for each connection. Not through a pooler that hands every transaction to
    /// another connection and does not know prepared statements.
    var preparesStatements = true
    /// Told of each question to the database and each answer.
    var contact: DatabaseContact?
    /// The contact of another connection, which asks all the time: while the database does not answer that one either,
    /// answers are waited for no longer.
    var heeds: DatabaseContact?

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
