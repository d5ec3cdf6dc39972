import Foundation

/// A PostgreSQL of the tests' own: in a temporary directory, on a socket in it, and gone with the process.
package final class PostgresServer: Sendable {
    /// The one that all tests share, each in a schema of its own; nil where PostgreSQL is not installed.
    package static let shared: PostgresServer? = try? PostgresServer()

    /// The programs of the newest version that is installed.
    static let programs: String? = {
        let home = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: home)) ?? []
        let newest = versions.compactMap { Int($0) }.max()
        return newest.map { "\(home)/\($0)/bin" }
    }()

    /// Whether it can be started here.
    package static var isInstalled: Bool { programs != nil }

    private let script: LeashedScript

    /// Starts another one than `shared`, for a test that kills it or needs settings, lines of `postgresql.conf`.
    package init(_ settings: String = "") throws {
        guard let programs = Self.programs else { throw CocoaError(.executableNotLoadable) }
        script = try LeashedScript("pg") { directory in
            """
            \(programs)/initdb --pgdata data --username jobs --auth trust --no-sync --encoding UTF8 >initdb.log 2>&1
            echo "\(settings)" >>data/postgresql.conf
            start() {
              \(programs)/postgres -D data -k \(directory) -h '' -c fsync=off -c max_connections=400 \\
                -c log_min_messages=fatal >>postgres.log 2>&1 &
              server=$!
            }
            start
            while read -r seconds; do
              kill -QUIT $server
              wait $server || true
              sleep $seconds
              start
            done
            kill -INT $server
            wait $server || true
            cd /
            rm -rf \(directory)
            """
        }
        try script.wait { try Self.answers(directory) }
    }

    /// Kills it without any ceremony, and starts it again after a while.
    package func crash(downFor seconds: Double) throws { try script.tell("\(seconds)") }

    /// Whether one with a socket in a directory takes connections.
    static func answers(_ directory: String, port: Int = 5432) throws -> Bool {
        guard let programs else { return false }
        let question = Process()
        question.executableURL = URL(filePath: "\(programs)/pg_isready")
        question.arguments = ["-q", "-h", directory, "-p", "\(port)", "-U", "jobs", "-d", "postgres"]
        try question.run()
        question.waitUntilExit()
        return question.terminationStatus == 0
    }

    /// The directory with its socket.
    var directory: String { script.directory }

    /// The connection string of libpq.
    package var address: String { "host=\(directory) user=jobs dbname=postgres" }

    /// The name of a schema that no other test has.
    package static func freshSchema() -> String {
        "t" + UUID().uuidString.filter { $0 != "-" }.lowercased()
    }
}
