import FoundationEssentials
import HTTPMessage
import JobStore
import SQLiteStore

/// Every setting of `jobserver serve`, with its default.
struct ServerConfig: Sendable {
    /// The address that is listened on: an IP address or `localhost`. Default `127.0.0.1`: this machine only.
    var host = "127.0.0.1"
    /// Names under which clients reach the server, besides `localhost` and addresses. Default the machine's own.
    var hostNames: [String] = [ProcessInfo.processInfo.hostName]
    /// The port, 0…65535; 0 takes a free one. Default 8080.
    var port = 8080
    /// Where everything is stored; made when it does not exist. Default `data`.
    var dataDirectory = "data"
    /// The file with the tokens; nil asks for none, and only this machine is served.
    var tokenFile: String?
    /// The file with the key of the stored secrets; nil takes `secret.key` in the data directory, made when missing.
    var secretKeyFile: String?
    /// The ranges that jobs may call although they are closed by default, as CIDR.
    var egressAllow: [CIDR] = []
    /// The ranges that connections may open for the calls that use them, as CIDR.
    var egressConnections: [CIDR] = []
    /// Whether an acknowledged job survives a power cut (`full`) or only a crash of the program (`normal`).
    var sync = SyncMode.full
    /// From which level on the log speaks. Default `info`.
    var logLevel = LogLevel.info
    /// Whether the log has a line for every request at `info`, not only at `debug`. Default no.
    var logsAccess = false
    /// The proxies whose `X-Forwarded-For` and `X-Forwarded-Prefix` count. Default none.
    var trustedProxies = TrustedProxies()
    /// The certificate chain in PEM; with `tlsKey` it makes the server speak TLS.
    var tlsCertificate: String?
    /// The private key in PEM.
    var tlsKey: String?
    /// How many operations run at once, 1…10,000. Default 256.
    var concurrency = 256
    /// Which rules for upstreams are in force. Default all.
    var originGuards = OriginGuards()
    /// How long a stop may take until running work is left to the next start, 0 s…1 h. Default 30 s.
    var drainTimeout = Duration.seconds(30)
    /// A file that gets the port when the server is ready; for scripts that use port 0.
    var portFile: String?
    /// How many connections are served at the same time, 1…1,000,000. Default 10,000; fewer when the system gives the
    /// process fewer descriptors.
    var connectionsMax = 10_000
    /// How many connections one client address may have; nil is 1,000 for others and no limit for this machine.
    var connectionsPerClient: Int?
    /// How many connections one client address of another machine may have unless the configuration says it.
    static let connectionsPerClientMax = 1_000
    /// How many writes may wait for the disk until new jobs are refused, 100…1,000,000. Default 10,000.
    var writeQueue = 10_000
    /// For how long the oldest write may have been waiting until new jobs are refused, 10 ms…60 s. Default 1 s.
    var writeDelay = Duration.seconds(1)
    /// When all that is stored is looked at in the background after a start. Default `auto`.
    var check = CheckMode.auto
    /// For how long a new job may have to wait for its turn until new jobs are refused, 100 ms…1 h; nil is any time.
    var backlog: Duration?
    /// How many threads serve HTTP, 1…64; nil takes half of the processors.
    var httpLoops: Int?

    /// How hard the store tries to keep what it acknowledged.
    enum SyncMode: String, Sendable, Hashable, CaseIterable {
        case full, normal
    }

    /// When all that is stored is looked at.
    enum CheckMode: String, Sendable, Hashable, CaseIterable {
        /// When the last server was killed or the machine stopped, and the database has 512 MiB at most.
        case auto
        /// At each start.
        case always
        /// Never.
        case never
    }

    /// Whether all that is stored is to be looked at after this start.
    func checksStore(wasLeftOpen: Bool) -> Bool {
        switch check {
        case .never: false
        case .always: true
        case .auto:
            wasLeftOpen && (DirectoryFacts(dataDirectory)?.databaseBytes ?? 0) <= 512 << 20
        }
    }

    /// Who may be called.
    var egressPolicy: EgressPolicy { EgressPolicy(allow: egressAllow) }

    /// Whether only this machine can reach the server.
    var isLoopback: Bool {
        host == "localhost" || host == "::1" || host == "[::1]" || host.utf8.starts(with: "127.".utf8)
    }

    /// The host as the system takes it: an IPv6 address without brackets.
    var listenHost: String {
        host.utf8.first == 0x5B ? String(host.dropFirst().dropLast()) : host
    }

    /// The URL under which the server can be reached from this machine at `port`.
    func url(port: Int) -> String {
        let scheme = tlsCertificate == nil ? "http" : "https"
        let reachable =
            switch host {
            case "0.0.0.0": "127.0.0.1"
            case "::", "[::]": "[::1]"
            default: host.utf8.contains(0x3A) && host.utf8.first != 0x5B ? "[\(host)]" : host
            }
        return "\(scheme)://\(reachable):\(port)"
    }
}
