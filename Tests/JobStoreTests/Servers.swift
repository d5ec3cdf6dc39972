import JobKit
import JobStore
import MemoryStore
import ScratchPostgres
import Testing

@testable import PostgresStore

/// Several servers on one schema of PostgreSQL, or on one memory.
struct Servers {
    let stores: [any JobStore]
    let schema: String

    subscript(place: Int) -> any JobStore { stores[place] }

    /// The engines that servers share.
    static let engines: [Engine] = [.memory] + (PostgresServer.isInstalled ? [.postgres] : [])

    /// Runs `body` with servers that share an empty store of one of `engines`.
    static func run(on engine: Engine, _ count: Int = 2, _ body: (Servers) async throws -> Void) async throws
    {
        guard engine == .memory else { return try await run(count, body) }
        let store = MemoryJobStore(isShared: true)
        try await body(Servers(stores: Array(repeating: store, count: count), schema: ""))
        await store.close()
    }

    /// Runs `body` with servers that share an empty schema.
    /// - Parameter settings: further parts of the address of the database.
    static func run(
        _ count: Int = 2, usesDatabaseClock: Bool = false, limits: StoreLimits = StoreLimits(),
        isHasty: Bool = false, patience: Duration? = nil, settings: String = "",
        _ body: (Servers) async throws -> Void
    ) async throws {
        let server = try #require(PostgresServer.shared)
        let schema = try PostgresServer.emptyStore()
        var options = PostgresOptions()
        options.limits = limits
        options.usesDatabaseClock = usesDatabaseClock
        options.patience = patience ?? options.patience
        if isHasty {
            options.statementTimeout = .milliseconds(300)
            options.doubtMax = .zero
        }
        let stores = try (0..<count).map { _ in
            try PostgresDatabase.open(
                "\(server.address) application_name=\(schema) \(settings)", schema: schema, options: options)
        }
        let result: Result<Void, any Error>
        do {
            try await body(Servers(stores: stores, schema: schema))
            result = .success(())
        } catch {
            result = .failure(error)
        }
        for store in stores { await store.close() }
        try result.get()
    }

    /// Another connection to the database.
    func connection() throws -> PostgresConnection {
        let server = try #require(PostgresServer.shared)
        return try PostgresConnection(PostgresAddress(server.address, schema: schema))
    }

    /// Folds all receipts whose ends are counted.
    func foldReceipts() throws {
        _ = try connection().transaction { (connection) throws(PostgresFailure) in
            var starts: [String: Int64] = [:]
            return try LandedTable(connection).fold(
                before: SystemClock().now.advanced(by: .seconds(60)), from: &starts)
        }
    }
}

/// Waits until `condition` holds, at most for ten seconds.
func eventually(_ condition: () throws -> Bool) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(10)
    while try !condition() {
        if ContinuousClock.now > deadline { return false }
        try await Task.sleep(for: .milliseconds(5))
    }
    return true
}

/// Waits until `count` returns a number, at most for ten seconds.
func eventually(for wanted: Int, _ count: () async throws -> Int) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(10)
    while try await count() != wanted {
        if ContinuousClock.now > deadline { return false }
        try await Task.sleep(for: .milliseconds(5))
    }
    return true
}
