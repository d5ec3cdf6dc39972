package import JobStore
import JobKit

/// Looks at a PostgreSQL and at the store in it, and changes nothing.
package enum PostgresInspection {
    private static let settings = [
        "synchronous_commit", "synchronous_standby_names", "fsync", "full_page_writes", "autovacuum",
        "max_connections", "data_checksums",
    ]

    /// - Throws: `.unavailable`; the text says why, without the password.
    package static func report(
        _ connection: String, schema: String, options: PostgresOptions = PostgresOptions()
    ) throws(JobStoreError) -> PostgresReport {
        do throws(PostgresFailure) {
            var address = try PostgresAddress(connection, schema: schema)
            address.preparesStatements = options.preparesStatements
            return try report(on: PostgresConnection(address))
        } catch {
            throw error.storeError(doing: "Looking at the store failed")
        }
    }

    private static func report(
        on connection: PostgresConnection
    ) throws(PostgresFailure) -> PostgresReport {
        var report = PostgresReport()
        report.schemaNewest = PostgresMigration.newest
        try readServer(connection, &report)
        try readClock(connection, &report)
        try readSnapshots(connection, &report)
        let schema = connection.address.schema
        report.schemaVersion = try PostgresMigration.version(on: connection)
        if report.schemaVersion == nil { return report }
        try readStore(connection, schema, &report)
        return report
    }

    private static func readServer(
        _ connection: PostgresConnection, _ report: inout PostgresReport
    ) throws(PostgresFailure) {
        let rows = try connection.run(
            """
            SELECT current_setting('server_version'), current_setting('server_version_num')::bigint, \
            pg_is_in_recovery(), (SELECT count(*) FROM pg_stat_activity), \
            (SELECT count(*) FROM pg_stat_replication), \
            (SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')), \
            (SELECT count(*) FROM pg_prepared_xacts)
            """)
        report.version = rows.text(0, 0)
        report.versionNumber = rows.integer(0, 1)
        report.isStandby = rows.integer(0, 2) != 0
        report.connections = rows.integer(0, 3)
        report.standbys = rows.integer(0, 4)
        report.synchronousStandbys = rows.integer(0, 5)
        report.preparedTransactions = rows.integer(0, 6)
        let known = try connection.run(
            "SELECT name, setting FROM pg_settings WHERE name = ANY($1)", [.texts(settings)])
        for row in 0..<known.count { report.settings[known.text(row, 0)] = known.text(row, 1) }
        // The value for this role and database, which the servers have, too.
        report.settings["synchronous_commit"] = try connection.run(
            "SELECT current_setting('synchronous_commit')"
        ).text(0, 0)
        let slots = try connection.run(
            "SELECT slot_name::text FROM pg_replication_slots WHERE NOT active ORDER BY 1 LIMIT 20")
        report.idleSlots = (0..<slots.count).map { slots.text($0, 0) }
    }

    /// Compares the clocks in the middle of the fastest of some questions.
    private static func readClock(
        _ connection: PostgresConnection, _ report: inout PostgresReport
    ) throws(PostgresFailure) {
        var fastest = Duration.seconds(3_600)
        for _ in 0..<5 {
            let (start, sent) = (ContinuousClock.now, SystemClock().now)
            let rows = try connection.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
            let time = start.duration(to: .now)
            if time >= fastest { continue }
            fastest = time
            let middle = sent.advanced(by: time / 2)
            report.clockAhead = rows.integer(0, 0) - middle.milliseconds
        }
        report.roundTrip = fastest.components.attoseconds / 1_000_000_000_000
    }

    private static func readSnapshots(
        _ connection: PostgresConnection, _ report: inout PostgresReport
    ) throws(PostgresFailure) {
        let rows = try connection.run(
            """
            SELECT pid::bigint, coalesce(application_name, ''), \
            extract(epoch FROM clock_timestamp() - coalesce(xact_start, backend_start))::bigint \
            FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid() \
            ORDER BY age(backend_xmin) DESC, 3 DESC LIMIT 1
            """)
        guard rows.count > 0 else { return }
        report.oldest = PostgresReport.Snapshot(
            process: rows.integer(0, 0), application: rows.text(0, 1), seconds: rows.integer(0, 2))
    }

    private static func readStore(
        _ connection: PostgresConnection, _ schema: String, _ report: inout PostgresReport
    ) throws(PostgresFailure) {
        let tickets = try connection.run(
            """
            SELECT stat.n_live_tup, stat.n_dead_tup, pg_table_size(stat.relid), \
            NOT coalesce('autovacuum_enabled=false' = ANY(class.reloptions), false) \
            FROM pg_stat_user_tables AS stat JOIN pg_class AS class ON class.oid = stat.relid \
            WHERE stat.schemaname = $1 AND stat.relname = 'ticket'
            """, [.text(schema)])
        if tickets.count > 0 {
            report.tickets = tickets.integer(0, 0)
            report.deadTickets = tickets.integer(0, 1)
            report.ticketBytes = tickets.integer(0, 2)
            report.isTicketVacuumed = tickets.integer(0, 3) != 0
        }
        let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
        let owners = try connection.run(
            """
            SELECT (SELECT count(*) FROM \(schema).lease WHERE NOT is_lost AND until > \(now)), \
            (SELECT count(*) FROM \(schema).ticket WHERE owner IS NOT NULL AND NOT EXISTS (SELECT 1 \
            FROM \(schema).lease WHERE lease.owner = ticket.owner AND NOT is_lost AND until > \(now)))
            """)
        report.servers = owners.integer(0, 0)
        report.abandoned = owners.integer(0, 1)
    }
}
