import ScratchPostgres
import Testing

@testable import PostgresStore

extension PostgresServer {
    /// Why tests are left out.
    static let missing: Comment = "PostgreSQL is not installed: .ci/install test"

    /// The address with a schema that no other test has.
    static func freshAddress() throws -> PostgresAddress {
        let server = try #require(shared, missing)
        return try PostgresAddress(server.address, schema: freshSchema())
    }
}

extension Trait where Self == ConditionTrait {
    /// Left out where PostgreSQL is not installed.
    static var needsPostgres: Self { .enabled(if: PostgresServer.isInstalled, PostgresServer.missing) }
}
