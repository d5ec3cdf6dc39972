import Foundation

/// A pgbouncer in transaction mode before a PostgreSQL of the tests: it hands each transaction of a client to another
/// connection. It is gone with the process.
package final class Pooler: Sendable {
    /// The one before the PostgreSQL that all tests share; nil where one of them is not installed.
    package static let shared: Pooler? = PostgresServer.shared.flatMap { try? Pooler(before: $0) }

    private static let program = "/usr/sbin/pgbouncer"
    private static let port = 6432

    /// Whether it can be started here.
    package static var isInstalled: Bool {
        PostgresServer.isInstalled && FileManager.default.isExecutableFile(atPath: program)
    }

    private let script: LeashedScript

    private init(before server: PostgresServer) throws {
        script = try LeashedScript("pgbouncer") { directory in
            """
            cat >settings <<END
            [databases]
            * = host=\(server.directory)
            [pgbouncer]
            listen_port = \(Self.port)
            unix_socket_dir = \(directory)
            auth_type = trust
            auth_file = users
            pool_mode = transaction
            server_round_robin = 1
            max_client_conn = 1000
            default_pool_size = 40
            END
            echo '"jobs" ""' >users
            \(Self.program) -q settings >log 2>&1 &
            pooler=$!
            read -r _ || true
            kill -KILL $pooler
            wait $pooler || true
            cd /
            rm -rf \(directory)
            """
        }
        try script.wait { [directory = script.directory] in
            try PostgresServer.answers(directory, port: Self.port)
        }
    }

    /// The connection string of libpq.
    package var address: String {
        "host=\(script.directory) port=\(Self.port) user=jobs dbname=postgres"
    }
}
