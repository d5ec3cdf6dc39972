import Foundation
import ScratchPostgres
import Testing

/// A schema and a folder for the servers of one test. The folder goes with it.
final class SharedPlace: Sendable {
    /// The folder for artifacts.
    let artifacts = LiveServer.temporaryDirectory().path
    private let schema = PostgresServer.freshSchema()

    deinit { empty() }

    /// Removes all artifacts.
    func empty() { try? FileManager.default.removeItem(atPath: artifacts) }

    /// The flags for commands on the store.
    func storeFlags() throws -> [String] {
        let server = try #require(PostgresServer.shared)
        return ["--store", server.address, "--schema", schema]
    }

    /// The flags for servers.
    func flags() throws -> [String] { try storeFlags() + ["--artifacts", artifacts] }
}
