import JobKit
import JobStore
import ScratchPostgres
import Testing

@testable import PostgresStore

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `A sweep of one server` {
    @Test func `passes over rows that another server has locked`() async throws {
        try await Servers.run(1) { servers in
            let store = servers[0]
            try await store.add(.sample("old", key: "k"))
            try await store.move(try await store.claimOne(), to: .succeeded, at: .noon(1))
            try await store.add(.sample("late", expiresAt: .noon(5)))
            var record = AuditRecord(at: .noon, by: "ada", kind: "queue", action: "put", target: "mail")
            record.requestID = "one"
            try await store.perform(record)
            let artifact = ArtifactReference(sha256: String(repeating: "ab", count: 32), bytes: 9)
            let upload = UploadRecord(
                id: UploadID(bits: .made(at: .noon)), artifact: artifact, contentType: nil, createdAt: .noon,
                createdBy: "ada")
            try await store.perform(UploadCreation(upload))
            let other = try servers.connection()
            try other.run("INSERT INTO \(servers.schema).occurrence VALUES (1, 1, 0, NULL, 0, NULL, 1)")
            let removals: [(String, () async throws -> Int)] = [
                ("ticket", { try await store.sweep(now: .noon(10)) }),
                ("ended", { try await store.sweep(now: .noon(9_000)) }),
                ("idempotency", { try await store.sweep(now: .noon(9_000)) }),
                ("audit", { try await store.perform(RowSweep(.audits, before: .noon(9), limit: 9)) }),
                (
                    "occurrence",
                    { try await store.perform(RowSweep(.occurrences, before: .noon(9), limit: 9)) }
                ),
                ("upload", { try await store.perform(RowSweep(.uploads, before: .noon(90_000), limit: 9)) }),
            ]
            try other.run("BEGIN")
            for (table, _) in removals {
                let rows = try other.run("SELECT 1 FROM \(servers.schema).\(table) FOR UPDATE")
                #expect(rows.count == 1, "of \(table)")
            }
            for (table, remove) in removals { #expect(try await remove() == 0, "of \(table)") }
            try other.run("COMMIT")
            #expect(try await store.sweep(now: .noon(10)) == 1)
            for (_, remove) in removals.suffix(3) { #expect(try await remove() == 1) }
            #expect(try await store.sweep(now: .noon(9_000)) > 0)
        }
    }
}
