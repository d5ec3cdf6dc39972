import Glibc
import JobKit

// DESIGN
// The check reads every page once. It looks at one table after the other, each in a transaction of its own, so that the
// write-ahead log is not held up for long. On its thread it gets the processor only when nobody else wants it.

/// Looks at all that is stored.
enum IntegrityCheck {
    private static let linesMax = 20

    /// Checks the database at `path`.
    /// - Parameter goesOn: asked between the tables; false ends the check.
    static func run(path: String, fileAccess: String, goesOn: () -> Bool) throws(SQLiteFailure)
        -> IntegrityReport
    {
        let start = ContinuousClock.now
        let bytes = ArtifactDirectory.byteCount(path) ?? 0
        var wrong: [String] = []
        var found = IntegrityReport(outcome: .ended, bytes: bytes, duration: .zero)
        do throws(SQLiteFailure) {
            let connection = try SQLiteConnection(path: path, mode: .readOnly, fileAccess: fileAccess)
            try connection.execute(
                "PRAGMA query_only = ON; PRAGMA busy_timeout = 2000; PRAGMA cache_size = -1024")
            try count(connection, &found)
            try lookForFiles(connection, besides: path, &found, goesOn)
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

    /// Looks for the files that are named, a thousand at a time. One that nobody names any more may be gone.
    private static func lookForFiles(
        _ connection: SQLiteConnection, besides path: String, _ found: inout IntegrityReport,
        _ goesOn: () -> Bool
    ) throws(SQLiteFailure) {
        let home = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let files = ArtifactDirectory(existing: home + "/artifacts")
        let page = try connection.prepare(
            "SELECT sha256, max(bytes) FROM artifact WHERE sha256 > ?1 GROUP BY sha256 ORDER BY sha256 LIMIT 1000"
        )
        let named = try connection.prepare("SELECT 1 FROM artifact WHERE sha256 = ?1")
        var last = ""
        while goesOn() {
            var missing: [String] = []
            let before = last
            page.bind(1, last)
            while try page.step() {
                last = page.text(0)
                if ArtifactDirectory.byteCount(files.place(of: last)) != Int(page.integer(1)) {
                    missing.append(last)
                }
            }
            page.reset()
            for digest in missing {
                named.bind(1, digest)
                defer { named.reset() }
                guard try named.step() else { continue }
                found.filesMissing += 1
                let place = String(files.place(of: digest).dropFirst(home.count + 1))
                found.firstMissing = found.firstMissing ?? place
            }
            if last == before { return }
        }
    }

    /// Counts what the commands for people tell.
    private static func count(
        _ connection: SQLiteConnection, _ found: inout IntegrityReport
    ) throws(SQLiteFailure) {
        let rows = try connection.prepare("SELECT state, jobs FROM tally")
        while try rows.step() {
            if let state = JobState(stored: rows.integer(0)) { found.jobs[state] = Int(rows.integer(1)) }
        }
        let now = SystemClock().now.milliseconds
        let late = now - 300_000
        found.overdue = Int(
            try connection.number("SELECT count(*) FROM job WHERE due_at IS NOT NULL AND due_at < \(late)")
                ?? 0)
        found.abandoned = Int(
            try connection.number("SELECT count(*) FROM job WHERE owner IS NOT NULL AND lease_until < \(now)")
                ?? 0)
        let kind = SettingKind.secret.rawValue
        found.secrets = Int(
            try connection.number("SELECT count(*) FROM setting WHERE kind = \(kind)") ?? 0)
        let newest = try connection.number("SELECT created_at FROM job ORDER BY number DESC LIMIT 1")
        found.newestJob = newest.map { Timestamp(milliseconds: $0) }
    }
}
