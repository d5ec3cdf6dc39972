import ContentFiles
import Glibc
import JobKit
import JobStore

// DESIGN
// The check reads every page once, one table after another, each in a separate transaction, so that checkpoints are not
// held up for long. Its thread has idle priority. Content files are read on request (doctor); at a start only their
// length is compared, since there may be many.

/// Verifies the whole store.
enum IntegrityCheck {
    private static let linesMax = 20

    /// Verifies the database at `path`.
    /// - Parameters:
    ///   - owners: the owners with a valid lease; nil when no server uses the database.
    ///   - makeDigest: creates the SHA-256 with which content files are compared; nil compares only their length.
    ///   - goesOn: called between tables and files; false stops.
    static func run(
        path: String, fileAccess: String, owners: [OwnerID]? = nil,
        makeDigest: (@Sendable () -> any RunningDigest)?,
        goesOn: () -> Bool
    ) throws(SQLiteFailure) -> IntegrityReport {
        let start = ContinuousClock.now
        let bytes = ArtifactDirectory.byteCount(path) ?? 0
        var wrong: [String] = []
        var found = IntegrityReport(outcome: .ended, bytes: bytes, duration: .zero)
        do throws(SQLiteFailure) {
            let connection = try SQLiteConnection(path: path, mode: .readOnly, fileAccess: fileAccess)
            try connection.execute(
                "PRAGMA query_only = ON; PRAGMA busy_timeout = 2000; PRAGMA cache_size = -1024")
            _ = try SQLiteMigration.version(of: connection)
            try count(connection, owners, &found)
            try lookForFiles(connection, besides: path, &found, makeDigest, goesOn)
            for table in try texts(connection, "SELECT name FROM sqlite_schema WHERE type = 'table'") {
                guard goesOn() else { return found }
                let name = table.split(separator: "'", omittingEmptySubsequences: false).joined(
                    separator: "''")
                let lines = try texts(connection, "PRAGMA quick_check('\(name)')")
                wrong += lines.filter { $0 != "ok" }.map { "\(table): \($0)" }
            }
        } catch {
            guard error.isCorruption else { throw error }
            wrong.append(error.message)
        }
        found.outcome = wrong.isEmpty ? .sound : .damaged(Array(wrong.prefix(linesMax)))
        found.duration = start.duration(to: .now)
        return found
    }

    private static func texts(_ connection: SQLiteConnection, _ sql: String) throws(SQLiteFailure) -> [String]
    {
        let rows = try connection.prepare(sql)
        var texts: [String] = []
        while texts.count < 1_000, try rows.step() { texts.append(rows.text(0)) }
        return texts
    }

    /// Checks the files that rows name, a page at a time. A file without a row may be missing.
    private static func lookForFiles(
        _ connection: SQLiteConnection, besides path: String, _ found: inout IntegrityReport,
        _ makeDigest: (@Sendable () -> any RunningDigest)?, _ goesOn: () -> Bool
    ) throws(SQLiteFailure) {
        let home = String(path[..<(path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)])
        let files = ArtifactDirectory(existing: home + "/artifacts")
        let page = try connection.prepare(
            """
            SELECT sha256, max(bytes) FROM (SELECT sha256, bytes FROM artifact WHERE sha256 > ?1 \
            UNION ALL SELECT sha256, bytes FROM upload WHERE sha256 > ?1) GROUP BY sha256 ORDER BY sha256 LIMIT 1000
            """)
        let named = try connection.prepare(ContentQuery.isNamed)
        var last = ""
        while true {
            var content: [ArtifactReference] = []
            page.bind(1, last)
            while try page.step() {
                content.append(ArtifactReference(sha256: page.text(0), bytes: Int(page.integer(1))))
            }
            // Files are read outside of the transaction.
            page.reset()
            guard let end = content.last, goesOn() else { return }
            last = end.sha256
            for artifact in content {
                if files.holds(artifact, makeDigest: makeDigest, goesOn: goesOn) { continue }
                guard goesOn() else { return }
                named.bind(1, artifact.sha256)
                defer { named.reset() }
                guard try named.step() else { continue }
                found.filesLost += 1
                let place = String(files.place(of: artifact.sha256).dropFirst(home.count + 1))
                found.firstLost = found.firstLost ?? place
            }
        }
    }

    /// Collects the numbers for the report.
    private static func count(
        _ connection: SQLiteConnection, _ owners: [OwnerID]?, _ found: inout IntegrityReport
    ) throws(SQLiteFailure) {
        let rows = try connection.prepare(Tally.query)
        while try rows.step() {
            if let state = JobState(stored: rows.integer(0)) { found.jobs[state] = Int(rows.integer(1)) }
        }
        let now = SystemClock().now.milliseconds
        let late = now - 300_000
        found.overdue = Int(
            try connection.number("SELECT count(*) FROM job WHERE due_at IS NOT NULL AND due_at < \(late)")
                ?? 0)
        if let owners {
            let held = try connection.prepare(DispatchQueries.heldCounts)
            while try held.step() {
                if !owners.contains(OwnerID(held.text(0))) { found.abandoned += Int(held.integer(1)) }
            }
        }
        let kind = SettingKind.secret.rawValue
        found.secrets = Int(
            try connection.number("SELECT count(*) FROM setting WHERE kind = \(kind)") ?? 0)
        let newest = try connection.number("SELECT created_at FROM job ORDER BY number DESC LIMIT 1")
        found.newestJob = newest.map { Timestamp(milliseconds: $0) }
    }
}
