import Foundation
import JobStore
import MemoryStore
import PostgresStore
import SQLiteStore
import ScratchPostgres
import Testing

/// The engines that run the conformance suite.
enum Engine: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, sqlite, postgres
    /// Behind a pooler that hands each transaction to another connection.
    case pooled

    /// Those that are installed here.
    static let allCases: [Engine] =
        [memory, sqlite] + (PostgresServer.isInstalled ? [postgres] : [])
        + (Pooler.isInstalled ? [pooled] : [])

    var testDescription: String { rawValue }

    /// Runs `body` with an empty store, and closes and removes it.
    func withStore(
        limits: StoreLimits = StoreLimits(), _ body: (any JobStore) async throws -> Void
    ) async throws {
        switch self {
        case .memory:
            let store = MemoryJobStore(limits: limits)
            try await body(store)
            await store.close()
        case .sqlite:
            try await withDirectory { directory in
                var options = SQLiteOptions()
                options.limits = limits
                let store = try DataDirectory(directory).open(options)
                do { try await body(store) } catch {
                    await store.close()
                    throw error
                }
                await store.close()
            }
        case .postgres, .pooled:
            let address = self == .pooled ? Pooler.shared?.address : PostgresServer.shared?.address
            guard let address else { throw CocoaError(.executableLoad) }
            var options = PostgresOptions()
            options.limits = limits
            options.usesDatabaseClock = false
            options.preparesStatements = self == .postgres
            let store = try PostgresDatabase.open(
                address, schema: PostgresServer.emptyStore(), options: options)
            do { try await body(store) } catch {
                await store.close()
                throw error
            }
            await store.close()
        }
    }
}

extension PostgresServer {
    private static let template = Result {
        let server = try #require(shared)
        return try SchemaTemplate(on: server) { _ = try PostgresDatabase.migrate(server.address, schema: $0) }
    }

    /// Makes an empty store and returns its schema.
    static func emptyStore() throws -> String { try template.get().copy() }
}

/// Runs `body` with the path of a directory that does not exist yet, and removes it.
func withDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = NSTemporaryDirectory() + "jobstore-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await body(directory)
}
