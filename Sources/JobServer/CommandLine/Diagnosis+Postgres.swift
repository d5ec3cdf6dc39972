import Commands
import PostgresStore

/// Findings about the PostgreSQL of a store.
extension Diagnosis {
    static func postgres(_ report: PostgresReport, schema: String) -> [Finding] {
        version(report) + self.schema(report, schema) + durability(report) + standbys(report)
            + clock(report) + cleaning(report, schema) + connections(report) + servers(report)
    }

    private static func version(_ report: PostgresReport) -> [Finding] {
        let text = "PostgreSQL \(report.version), an answer takes \(report.roundTrip) µs"
        if report.isStandby {
            return [
                Finding(
                    .wrong, "\(text); it is a standby, which takes no writes",
                    remedy: "name all hosts in --store, with target_session_attrs=read-write")
            ]
        }
        if report.versionNumber < 120_000 {
            return [Finding(.wrong, text, remedy: "the store needs PostgreSQL 12 or later: upgrade it")]
        }
        if report.versionNumber < 140_000 {
            return [
                Finding(.notice, text, remedy: "its makers no longer correct this version: plan an upgrade")
            ]
        }
        if report.roundTrip > 5_000 {
            return [
                Finding(
                    .notice, text,
                    remedy:
                        "it is far away: run servers and database in one place, since each write waits for it"
                )
            ]
        }
        return [Finding(.fine, text)]
    }

    private static func schema(_ report: PostgresReport, _ name: String) -> [Finding] {
        guard let version = report.schemaVersion else {
            return [
                Finding(
                    .notice, "there is no store in the schema \(name) yet",
                    remedy: "jobserver serve makes it when it starts, or: jobserver migrate")
            ]
        }
        if version < report.schemaNewest {
            return [
                Finding(
                    .wrong,
                    "the schema \(name) has version \(version), this program knows \(report.schemaNewest)",
                    remedy: "run jobserver migrate --store … with this program")
            ]
        }
        if report.isUnfinishedCopy {
            return [
                Finding(
                    .wrong, "the schema \(name) is an unfinished copy of another store",
                    remedy: "run jobserver copy with the same --from and --to again, and with --restart")
            ]
        }
        if version > report.schemaNewest {
            return [
                Finding(
                    .notice,
                    "the schema \(name) has version \(version), this program knows \(report.schemaNewest)",
                    remedy: "servers of this version go on and cannot start again: update them")
            ]
        }
        return [Finding(.fine, "the schema \(name) has version \(version)")]
    }

    private static func durability(_ report: PostgresReport) -> [Finding] {
        var found: [Finding] = []
        for name in ["fsync", "full_page_writes"] where report.settings[name] == "off" {
            found.append(
                Finding(
                    .wrong, "\(name) is off: a crash of its machine may damage the whole database",
                    remedy: "ALTER SYSTEM SET \(name) = on; then SELECT pg_reload_conf()"))
        }
        let commit = report.settings["synchronous_commit"] ?? "on"
        if commit == "off" {
            found.append(
                Finding(
                    .wrong, "synchronous_commit is off: a crash of PostgreSQL loses the last accepted jobs",
                    remedy: "ALTER ROLE … SET synchronous_commit = on for the role of the servers"))
        } else if commit == "local", report.synchronousStandbys > 0 {
            found.append(
                Finding(
                    .wrong, "synchronous_commit is local: a failover loses the last accepted jobs",
                    remedy: "ALTER ROLE … SET synchronous_commit = on for the role of the servers"))
        } else {
            found.append(Finding(.fine, "synchronous_commit is \(commit): accepted jobs survive a crash"))
        }
        return found
    }

    private static func standbys(_ report: PostgresReport) -> [Finding] {
        let names = report.settings["synchronous_standby_names"] ?? ""
        if !names.isEmpty, report.synchronousStandbys == 0 {
            return [
                Finding(
                    .wrong,
                    "synchronous_standby_names is \"\(names)\", and no such standby is connected: every write waits",
                    remedy: "start a standby of that name, or remove the names until there is one")
            ]
        }
        if report.synchronousStandbys > 0 {
            return [
                Finding(
                    .fine,
                    "commits wait for a synchronous standby (\(report.synchronousStandbys) of \(report.standbys))"
                )
            ]
        }
        if report.standbys > 0 {
            return [
                Finding(
                    .notice, "\(Counted.text(Int(report.standbys), "standby")), and none is synchronous",
                    remedy: "a failover loses the last accepted jobs: set synchronous_standby_names")
            ]
        }
        return [
            Finding(
                .notice, "there is no standby",
                remedy: "if its machine is lost, so is what came after the last backup: add one (Patroni)")
        ]
    }

    private static func clock(_ report: PostgresReport) -> [Finding] {
        let distance = abs(report.clockAhead)
        let text = "the clock of the database differs from this machine's by \(distance) ms"
        if distance < 1_000 { return [Finding(.fine, text)] }
        return [
            Finding(
                distance < 5_000 ? .notice : .wrong, text,
                remedy:
                    "jobs begin late or early by that, and sort so: correct the clocks (chrony, timedatectl)")
        ]
    }

    private static func cleaning(_ report: PostgresReport, _ schema: String) -> [Finding] {
        var found: [Finding] = []
        if report.settings["autovacuum"] == "off" || !report.isTicketVacuumed {
            found.append(
                Finding(
                    .wrong, "autovacuum is off for \(schema).ticket: claims become slower with every job",
                    remedy: report.isTicketVacuumed
                        ? "ALTER SYSTEM SET autovacuum = on; then SELECT pg_reload_conf()"
                        : "ALTER TABLE \(schema).ticket RESET (autovacuum_enabled)"))
        }
        if let oldest = report.oldest, oldest.seconds >= 60 {
            let name = oldest.application.isEmpty ? "" : " (\(oldest.application))"
            found.append(
                Finding(
                    oldest.seconds >= 600 ? .wrong : .notice,
                    "a transaction of process \(oldest.process)\(name) is \(oldest.seconds) s old: rows that changed "
                        + "since then cannot be removed",
                    remedy: "end it: SELECT pg_terminate_backend(\(oldest.process))"))
        }
        if report.preparedTransactions > 0 {
            found.append(
                Finding(
                    .notice, "there are \(report.preparedTransactions) prepared transactions",
                    remedy:
                        "end the leftover ones: SELECT * FROM pg_prepared_xacts; ROLLBACK PREPARED …"))
        }
        if let slot = report.idleSlots.first {
            found.append(
                Finding(
                    .wrong,
                    "the replication slot \(slot)\(report.idleSlots.count > 1 ? " …" : "") is unused: the log grows "
                        + "until the disk is full",
                    remedy: "start its standby, or: SELECT pg_drop_replication_slot('\(slot)')"))
        }
        let text =
            "\(schema).ticket has \(report.tickets) rows, \(report.deadTickets) dead ones, and "
            + "\(report.ticketBytes >> 20) MiB"
        let isBloated = report.deadTickets > 20_000 && report.deadTickets > 2 * report.tickets
        let isLarge = report.ticketBytes > 256 << 20 && report.ticketBytes > 2_000 * (report.tickets + 1)
        if report.schemaVersion != nil {
            found.append(
                isBloated || isLarge
                    ? Finding(
                        .notice, text,
                        remedy: isBloated
                            ? "VACUUM \(schema).ticket, after the old transactions above, if any, are over"
                            : "it is larger than its rows: REINDEX and VACUUM FULL \(schema).ticket in a quiet hour"
                    )
                    : Finding(.fine, text))
        }
        return found
    }

    private static func connections(_ report: PostgresReport) -> [Finding] {
        guard let most = report.settings["max_connections"].flatMap({ Int64($0) }) else { return [] }
        let text = "\(report.connections) of \(most) connections are used"
        if report.connections * 10 < most * 8 { return [Finding(.fine, text)] }
        return [
            Finding(
                .notice, text,
                remedy: "each server needs up to ten: raise max_connections, or put pgbouncer before it")
        ]
    }

    private static func servers(_ report: PostgresReport) -> [Finding] {
        guard report.schemaVersion != nil else { return [] }
        let text =
            Counted.text(Int(report.servers), "server") + (report.servers == 1 ? " is alive" : " are alive")
        if report.abandoned > 0 {
            let jobs = "\(Counted.text(Int(report.abandoned), "job")) of a server without a lease"
            return [
                Finding(
                    report.servers > 0 ? .notice : .wrong, "\(text), \(jobs)",
                    remedy: report.servers > 0
                        ? "nothing: a server takes them within 20 s" : "start a server: it takes them")
            ]
        }
        return [Finding(.fine, text)]
    }
}
