import Foundation
import Testing

extension `The built server` {
    private static let hasPostgres = FileManager.default.fileExists(atPath: "/usr/lib/postgresql")

    /// Few rounds of each proof in `Tests/Scale`.
    @Suite(.enabled(if: hasPostgres)) struct `Servers on one PostgreSQL` {
        @Test(
            .timeLimit(.minutes(3)),
            arguments: [
                ("rounds", ["ROUNDS": "2", "LEASE": "10"], "2 rounds"),
                ("doors", ["ROUNDS": "2", "LEASE": "10"], "repeated deliveries"),
                (
                    "database", ["KILLS": "2", "LOCKED": "5", "PATIENCE": "10"],
                    "2 times the database was killed"
                ),
                ("proxy answer commit", ["CUTS": "6", "LEASE": "15"], "cut before the answer to COMMIT"),
                ("failover", ["FAILOVERS": "1", "CONTROL": "no"], "1 failovers to a synchronous standby"),
            ])
        func `lose and double nothing`(tool: String, environment: [String: String], words: String)
            async throws
        {
            // The leases are so long that a busy machine loses none.
            let parts = tool.split(separator: " ").map(String.init)
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Scale/\(parts[0])"), Array(parts.dropFirst()),
                environment: environment)
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains(words), "\(outcome.output)")
            #expect(outcome.output.contains("0 lost, 0 stuck, 0 keys with two jobs"))
        }

        @Test(.timeLimit(.minutes(3))) func `hold an exclusive key once, whichever of them dies`()
            async throws
        {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Scale/keys"), environment: ["KILLS": "2"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("at most 1 at one time held a key"))
        }

        @Test(.timeLimit(.minutes(3))) func `act on jobs that another one runs`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Scale/across"),
                environment: ["TIMES": "8", "LIMIT": "5000"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("hold and release: 8 times"))
        }

        @Test(.timeLimit(.minutes(3)), arguments: ["05-polling.sh", "08-approval.sh"])
        func `serve an example in turn`(script: String) async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Scale/inturn"), ["Examples/\(script)"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("\nok: "))
        }
    }
}
