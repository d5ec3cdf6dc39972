import Commands
import HTTPMessage
import PostgresStore

/// The PostgreSQL with a store that several servers may share.
struct SharedStoreAddress: Sendable {
    /// The connection string of libpq. It may hold a password and is never shown.
    let connection: String
    /// The schema of the store.
    var schema = "jobserver"
    /// Whether the schema is made or updated at the start.
    var migrates = true
    /// Whether a pooler hands each transaction to another connection.
    var isPooled = false
    /// The time after which others take the jobs of a server that is silent.
    var lease = Duration.seconds(15)

    /// The same for the store.
    var options: PostgresOptions {
        var options = PostgresOptions()
        options.migrates = migrates
        options.preparesStatements = !isPooled
        return options
    }

    /// The flags that name it, for all commands.
    static let flags = [
        Flag(
            name: "store", value: "URL",
            help: "keep jobs in a PostgreSQL, which several servers may share: postgres://host/name, or\n"
                + "another form that libpq takes. A password belongs in JOBSERVER_STORE or a password\n"
                + "file. Default: a file in DIR"),
        Flag(
            name: "schema", value: "NAME", help: "the schema in that PostgreSQL; default jobserver"),
        Flag(
            name: "behind-pooler",
            help: "that PostgreSQL is behind a pooler in transaction mode, such as pgbouncer: prepare no\n"
                + "statements, which costs some speed"),
    ]

    /// The address that the flags name; nil without one.
    /// - Throws: `.usage` for a password that other users of the machine could see.
    init?(_ given: Arguments, command: String) throws(CommandFailure) {
        guard let text = given.value("store") else {
            for flag in ["schema", "behind-pooler", "lease"] where given.has(flag) {
                throw .usage("--\(flag) needs --store", command: command)
            }
            return nil
        }
        guard Self.isOne(text) || text.firstRange(of: "://") == nil else {
            throw .usage(
                "\(given.said("store", text)): expected postgres://host/name, or a connection string of libpq",
                command: command)
        }
        try self.init(text, of: "store", given, command: command)
    }

    /// The address that one flag says, with what the others say about it.
    init(_ text: String, of flag: String, _ given: Arguments, command: String) throws(CommandFailure) {
        guard given.isHidden(flag) || !Self.hasPassword(text) else {
            throw .usage(
                "--\(flag) shows a password to all users of this machine. Put the address into the variable "
                    + "JOBSERVER_\(flag.uppercased()), or the password into a password file (~/.pgpass)",
                command: command)
        }
        connection = text
        schema = given.value("schema") ?? schema
        isPooled = try given.isOn("behind-pooler", command: command)
    }

    /// Whether a text is an address of PostgreSQL, and not a directory.
    static func isOne(_ text: String) -> Bool {
        ["postgres://", "postgresql://", "host=", "dbname=", "service="].contains {
            text.utf8.starts(with: $0.utf8)
        }
    }

    /// Whether a connection string holds a password.
    static func hasPassword(_ text: String) -> Bool {
        let bytes = Array(text.asciiLowercased.utf8)
        if bytes.contains("password=".utf8) || bytes.contains("password =".utf8) { return true }
        guard let scheme = bytes.firstRange(of: "://".utf8) else { return false }
        let authority = bytes[scheme.upperBound...].prefix { !"/?".utf8.contains($0) }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return false }
        return authority[..<at].contains(UInt8(ascii: ":"))
    }
}
