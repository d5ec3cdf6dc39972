import Foundation
import ScratchPostgres
import Testing

/// A schema and a folder for the servers of one test. The folder goes with it.
final class SharedPlace: Sendable {
    /// The folder for artifacts.
    let artifacts = LiveServer.temporaryDirectory().path
    private let schema = PostgresServer.freshSchema()
    private let home = LiveServer.temporaryDirectory()

    deinit {
        empty()
        try? FileManager.default.removeItem(at: home)
    }

    /// Removes all artifacts.
    func empty() { try? FileManager.default.removeItem(atPath: artifacts) }

    /// The flags for commands on the store.
    func storeFlags() throws -> [String] {
        let server = try #require(PostgresServer.shared)
        return ["--store", server.address, "--schema", schema]
    }

    /// The flags for servers.
    func flags() throws -> [String] { try storeFlags() + ["--artifacts", artifacts] }

    /// The flag for the key of secrets that all servers have.
    func keyFlags() throws -> [String] {
        let key = home.appending(path: "key")
        try Data(String(repeating: "5a", count: 32).utf8).write(to: key)
        return ["--secret-key-file", key.path]
    }
}
