@testable import JobServer
@testable import PostgresStore
import Testing

@Suite struct `The diagnosis of a PostgreSQL` {
    private var sound: PostgresReport {
        var report = PostgresReport()
        (report.version, report.versionNumber) = ("15.18", 150_018)
        (report.schemaVersion, report.schemaNewest) = (8, 8)
        report.settings = [
            "synchronous_commit": "on", "synchronous_standby_names": "*", "fsync": "on",
            "full_page_writes": "on", "autovacuum": "on", "max_connections": "100",
        ]
        (report.standbys, report.synchronousStandbys, report.servers) = (2, 1, 3)
        return report
    }

    private func findings(_ change: (inout PostgresReport) -> Void) -> [Finding] {
        var report = sound
        change(&report)
        return Diagnosis.postgres(report, schema: "jobs").filter { $0.level != .fine }
    }

    @Test func `finds nothing about one that is in order`() { #expect(findings { _ in }.isEmpty) }

    @Test func `finds what loses jobs, and says what to do`() {
        let changes: [(String, Finding.Level, (inout PostgresReport) -> Void)] = [
            ("synchronous_commit is off", .wrong, { $0.settings["synchronous_commit"] = "off" }),
            ("failover loses", .wrong, { $0.settings["synchronous_commit"] = "local" }),
            ("fsync is off", .wrong, { $0.settings["fsync"] = "off" }),
            ("every write waits", .wrong, { $0.synchronousStandbys = 0 }),
            (
                "none is synchronous", .notice,
                { ($0.synchronousStandbys, $0.settings["synchronous_standby_names"]) = (0, "") }
            ),
            ("is a standby", .wrong, { $0.isStandby = true }),
            ("11.2", .wrong, { ($0.version, $0.versionNumber) = ("11.2", 110_002) }),
            ("has version 7", .wrong, { $0.schemaVersion = 7 }),
            ("unfinished copy", .wrong, { $0.schemaVersion = PostgresMigration.copying + 8 }),
            ("has version 9", .notice, { $0.schemaVersion = 9 }),
            ("6000 ms", .wrong, { $0.clockAhead = -6_000 }),
            ("autovacuum is off", .wrong, { $0.isTicketVacuumed = false }),
            (
                "process 77 (psql) is 700 s old", .wrong,
                { $0.oldest = .init(process: 77, application: "psql", seconds: 700) }
            ),
            ("slot old", .wrong, { $0.idleSlots = ["old"] }),
            ("dead", .notice, { ($0.tickets, $0.deadTickets) = (10, 50_000) }),
            ("95 of 100 connections", .notice, { $0.connections = 95 }),
            ("3 jobs of a server", .wrong, { ($0.servers, $0.abandoned) = (0, 3) }),
        ]
        for (words, level, change) in changes {
            let found = findings(change)
            #expect(found.count == 1, "\(words): \(found)")
            #expect(found.first?.text.contains(words) == true, "\(words): \(found)")
            #expect(found.first?.level == level, "\(found)")
            #expect(found.first?.remedy?.isEmpty == false, "\(found)")
        }
    }
}
