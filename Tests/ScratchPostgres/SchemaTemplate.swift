import Foundation

/// A schema that is made once and copied for each test: its migrations take four times as long as its definition.
package struct SchemaTemplate: Sendable {
    private let server: PostgresServer
    private let name: String
    /// The definition and the rows, as pg_dump writes them.
    private let text: String

    /// - Parameter make: makes the schema of this name.
    package init(on server: PostgresServer, _ make: (String) throws -> Void) throws {
        (self.server, name) = (server, PostgresServer.freshSchema())
        try make(name)
        text = try server.run("pg_dump", ["--schema", name, "--inserts", "postgres"], input: "")
    }

    /// Makes a copy and returns its name.
    package func copy() throws -> String {
        let schema = PostgresServer.freshSchema()
        let script = text.replacingOccurrences(of: name, with: schema)
        let options = ["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "postgres"]
        _ = try server.run("psql", options, input: script)
        return schema
    }
}

extension PostgresServer {
    /// Runs a program of PostgreSQL on this server and returns its output.
    fileprivate func run(_ program: String, _ words: [String], input: String) throws -> String {
        guard let programs = Self.programs else { throw CocoaError(.executableNotLoadable) }
        let (process, given, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "\(programs)/\(program)")
        process.arguments = ["--host", directory, "--username", "jobs"] + words
        (process.standardInput, process.standardOutput) = (given, output)
        try process.run()
        // Both programs read everything before they write.
        try given.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try given.fileHandleForWriting.close()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableRuntimeMismatch) }
        return String(decoding: text, as: UTF8.self)
    }
}
