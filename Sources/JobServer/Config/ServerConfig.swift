import HTTPMessage

/// Every setting of `jobserver serve`, with its default.
struct ServerConfig: Sendable {
    /// The address that is listened on: an IP address or `localhost`. Default `127.0.0.1`: this machine only.
    var host = "127.0.0.1"
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
    /// The certificate chain in PEM; with `tlsKey` it makes the server speak TLS.
    var tlsCertificate: String?
    /// The private key in PEM.
    var tlsKey: String?
    /// How many operations run at once, 1…10,000. Default 256.
    var concurrency = 256
    /// Which rules for the other sides of calls are in force. Default all.
    var originGuards = OriginGuards()
    /// How long a stop may take until running work is left to the next start, 0 s…1 h. Default 30 s.
    var drainTimeout = Duration.seconds(30)
    /// A file that gets the port when the server is ready; for scripts that use port 0.
    var portFile: String?
    /// How many threads serve HTTP, 1…64; nil takes half of the processors.
    var httpLoops: Int?

    /// How hard the store tries to keep what it acknowledged.
    enum SyncMode: String, Sendable, Hashable, CaseIterable {
        case full, normal
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
