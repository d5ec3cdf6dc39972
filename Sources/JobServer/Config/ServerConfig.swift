import ContentFiles
import DurableJobs
import FoundationEssentials
import HTTPMessage
import JobStore
import SQLiteStore
import TraceFormat

/// The settings of `jobserver serve`, with their defaults.
struct ServerConfig: Sendable {
    /// The listening address: an IP address or `localhost`. Default `127.0.0.1`, which only this machine can reach.
    var host = "127.0.0.1"
    /// The host names of this server besides `localhost` and addresses. Default: the machine's host name.
    var hostNames: [String] = [ProcessInfo.processInfo.hostName]
    /// The port, 0…65535; 0 picks a free one. Default 8080.
    var port = 8080
    /// A second address with what strangers may reach; nil has none.
    var publicListen: PublicAddress?
    /// The data directory, created when missing. Default `data`.
    var dataDirectory = "data"
    /// The PostgreSQL with the jobs; nil keeps them in the data directory.
    var store: SharedStoreAddress?
    /// The URL at which other machines reach this server, for the list of servers; nil tells none.
    var advertised: String?
    /// The URL at which others reach this server, for callback URLs; nil has none.
    var publicURL: String?
    /// The place of large results of servers that share a store.
    var artifacts: ArtifactsAddress?
    /// The token file; nil requires no token and restricts the server to this machine.
    var tokenFile: String?
    /// The file with the key that encrypts secrets; nil uses `secret.key` in the data directory, created when missing.
    var secretKeyFile: String?
    /// Address ranges that jobs may call although they are blocked by default, as CIDR.
    var egressAllow: [CIDR] = []
    /// Address ranges that connections may open for the calls that use them, as CIDR.
    var egressConnections: [CIDR] = []
    /// Whether an acknowledged job survives a power failure (`full`) or only a process crash (`normal`).
    var sync = SyncMode.full
    /// The minimum level of log lines. Default `info`.
    var logLevel = LogLevel.info
    /// Whether requests are logged at `info` rather than `debug`. Default no.
    var logsAccess = false
    /// The proxies whose fields about the client are trusted. Default none.
    var trustedProxies = TrustedProxies()
    /// The prefix of all paths behind a proxy. Default none.
    var pathPrefix = PathPrefix()
    /// The limits of tenants, by name; `*` is all others. Default none.
    var tenantLimits: [String: TenantLimits] = [:]
    /// The certificate chain in PEM; together with `tlsKey` it enables TLS.
    var tlsCertificate: String?
    /// The private key in PEM.
    var tlsKey: String?
    /// The maximum number of concurrent operations, 1…10,000. Default 256.
    var concurrency = 256
    /// The active protections of upstreams. Default all.
    var originGuards = OriginGuards()
    /// The time that a stop waits for running jobs before it leaves them to the next start, 0 s…1 h. Default 30 s.
    var drainTimeout = Duration.seconds(30)
    /// The file that receives the port when the server is ready, for scripts that use port 0.
    var portFile: String?
    /// The maximum number of open connections, 1…1,000,000. Default 10,000; less when the process has fewer
    /// descriptors.
    var connectionsMax = 10_000
    /// The maximum number of connections of one client address; nil means 1,000 for other machines and no limit for
    /// this one.
    var connectionsPerClient: Int?
    /// The default maximum of connections of one address of another machine.
    static let connectionsPerClientMax = 1_000
    /// The space that content and new jobs leave free. Default 5 % of the file system, at most 256 MiB.
    var diskReserve = DiskReserve()
    /// The size of the largest upload, in bytes. Default 10 GiB.
    var artifactMax: Int64 = 10 << 30
    /// The number of pending writes at which new jobs are refused, 100…1,000,000. Default 10,000.
    var writeQueue = 10_000
    /// The age of the oldest pending write at which new jobs are refused, 10 ms…60 s. Default 1 s.
    var writeDelay = Duration.seconds(1)
    /// When the store is verified in the background after a start. Default `auto`.
    var check = CheckMode.auto
    /// The expected wait in the queue at which new jobs are refused, 100 ms…1 h; nil means no limit.
    var backlog: Duration?
    /// The settings of the page in a browser.
    var page = PageSettings()
    /// The variables of OpenTelemetry, which decide about traces.
    var traceVariables: [String: String] = [:]
    /// The relation of the trace of a job to that of its submission. Default `auto`.
    var traceRelation = TraceRelation.auto
    /// The number of HTTP threads, 1…64; nil means half the number of processors.
    var httpLoops: Int?

    /// The durability of acknowledged writes.
    enum SyncMode: String, Sendable, Hashable, CaseIterable {
        case full, normal
    }

    enum CheckMode: String, Sendable, Hashable, CaseIterable {
        /// After a server that was killed or a machine that stopped, if the database is at most 512 MiB.
        case auto
        case always
        case never
    }

    /// Whether to verify the store after this start.
    func checksStore(wasLeftOpen: Bool) -> Bool {
        switch check {
        case .never: false
        case .always: true
        case .auto:
            wasLeftOpen && (DirectoryFacts(dataDirectory)?.databaseBytes ?? 0) <= 512 << 20
        }
    }

    /// The file with the key that encrypts secrets.
    var keyFile: SecretKeyFile { SecretKeyFile(secretKeyFile, in: dataDirectory) }

    var egressPolicy: EgressPolicy { EgressPolicy(allow: egressAllow) }

    var isLoopback: Bool {
        host == "localhost" || host == "::1" || host == "[::1]" || host.utf8.starts(with: "127.".utf8)
    }

    /// The host as the socket API takes it: an IPv6 address without brackets.
    var listenHost: String {
        host.utf8.first == 0x5B ? String(host.dropFirst().dropLast()) : host
    }

    /// The URL of the server at `port`, as seen from this machine.
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
