import Foundation

/// A PostgreSQL of the tests' own: in a temporary directory, on a socket in it, and gone with the process.
package final class PostgresServer: Sendable {
    /// The one that all tests share, each in a schema of its own; nil where PostgreSQL is not installed.
    package static let shared: PostgresServer? = try? PostgresServer()

    /// The programs of the newest version that is installed.
    private static let programs: String? = {
        let home = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: home)) ?? []
        let newest = versions.compactMap { Int($0) }.max()
        return newest.map { "\(home)/\($0)/bin" }
    }()

    /// Whether it can be started here.
    package static var isInstalled: Bool { programs != nil }

    private let directory: String
    private let process: Process
    /// As long as its other end is open the server lives.
    private let leash: Pipe

    /// Starts another one than `shared`, for a test that kills it.
    package init() throws {
        guard let programs = Self.programs else { throw CocoaError(.executableNotLoadable) }
        directory = NSTemporaryDirectory() + "pg-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // PostgreSQL refuses to run as root.
        let isRoot = geteuid() == 0
        let script = """
            set -e
            cd \(directory)
            \(programs)/initdb --pgdata data --username jobs --auth trust --no-sync --encoding UTF8 >initdb.log 2>&1
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
        process = Process()
        leash = Pipe()
        if isRoot {
            try FileManager.default.setAttributes(
                [.ownerAccountName: "nobody"], ofItemAtPath: directory)
            process.executableURL = URL(filePath: "/usr/bin/setpriv")
            process.arguments = [
                "--reuid=65534", "--regid=65534", "--clear-groups", "/bin/bash", "-c", script,
            ]
        } else {
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = ["-c", script]
        }
        process.standardInput = leash
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let deadline = Date(timeIntervalSinceNow: 60)
        while try !answers(programs) {
            guard Date() < deadline, process.isRunning else { throw CocoaError(.executableLoad) }
            usleep(50_000)
        }
    }

    /// Kills it without any ceremony, and starts it again after a while.
    package func crash(downFor seconds: Double) throws {
        try leash.fileHandleForWriting.write(contentsOf: Data("\(seconds)\n".utf8))
    }

    /// Whether it takes connections.
    private func answers(_ programs: String) throws -> Bool {
        let question = Process()
        question.executableURL = URL(filePath: "\(programs)/pg_isready")
        question.arguments = ["-q", "-h", directory, "-U", "jobs", "-d", "postgres"]
        try question.run()
        question.waitUntilExit()
        return question.terminationStatus == 0
    }

    /// The connection string of libpq.
    package var address: String { "host=\(directory) user=jobs dbname=postgres" }

    /// The name of a schema that no other test has.
    package static func freshSchema() -> String {
        "t" + UUID().uuidString.filter { $0 != "-" }.lowercased()
    }
}
