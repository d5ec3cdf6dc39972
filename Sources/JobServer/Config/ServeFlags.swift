import Commands
import HTTPMessage
import JobKit
import JobStore
import TraceFormat

enum ServeFlags {
    /// All flags, in the order of the help.
    static let all: [Flag] =
        [
            ConfigFile.flag,
            Flag(
                name: "host", value: "ADDRESS",
                help: "the address to listen on; default 127.0.0.1, this machine only"),
            Flag(
                name: "host-name", value: "NAME",
                help:
                    "serve requests for this host, too, when there are no tokens; repeatable. localhost, the\n"
                    + "machine's own name and all addresses are served anyway",
                isRepeatable: true),
            Flag(name: "port", value: "N", help: "the port to listen on, 0 takes a free one; default 8080"),
            PublicAddress.flag,
            Flag(
                name: "data", value: "DIR", help: "the data directory, created when missing; default ./data"),
        ] + SharedStoreAddress.flags + [
            Flag(
                name: "migrate", value: "on|off",
                help: "make or update the schema at the start, see jobserver migrate; default on")
        ] + ArtifactsAddress.flags + [
            Flag(
                name: "advertise", value: "URL",
                help: "the address of this server in the list of servers (GET /v1/servers), such as\n"
                    + "http://jobs-1.example:8080; nothing calls it"),
            Flag(
                name: "public-url", value: "URL",
                help: "the address at which the internet reaches this server, such as\n"
                    + "https://jobs.example.com: callback URLs begin with it; default none"),
            Flag(
                name: "lease", value: "TIME",
                help:
                    "with --store, after this long without a heartbeat other servers take over its jobs, 1s\n"
                    + "to 10m; default 15s"),
            Flag(
                name: "token-file", value: "FILE",
                help: "require a bearer token from this file (jobserver token create)"),
            Flag(
                name: "secret-key-file", value: "FILE",
                help: "the key that encrypts secrets, 32 bytes in hex or base64; default secret.key in DIR,\n"
                    + "made when missing"),
            Flag(
                name: "egress-allow", value: "CIDR",
                help:
                    "let jobs call addresses in this range, such as 127.0.0.0/8 or 10.1.0.0/16; repeatable.\n"
                    + "Private, loopback and metadata addresses are blocked by default",
                isRepeatable: true),
            Flag(
                name: "egress-connections", value: "CIDR",
                help: "let connections allow addresses in this range for the calls that use them; repeatable",
                isRepeatable: true),
            Flag(
                name: "sync", value: "full|normal",
                help:
                    "full: an accepted job survives a power failure; normal: a crash of the\n"
                    + "program only, and faster; default full"
            ),
            Flag(name: "concurrency", value: "N", help: "concurrent jobs, 1 to 10000; default 256"),
            Flag(
                name: "origin-guards", value: "all|none|LIST",
                help: "how upstreams are protected: cool-down, breaker, retry-budget, with\n"
                    + "commas between; default all"),
            Flag(
                name: "drain-timeout", value: "TIME",
                help: "how long a stop waits for running work: 30s, 5m; default 30s"),
            Flag(
                name: "connections", value: "N",
                help: "connections at the same time, 1 to 1000000; default 10000"
            ),
            Flag(
                name: "connections-per-client", value: "N",
                help: "connections of one client address; default 1000, and no limit for this machine"),
            Flag(
                name: "check", value: "auto|always|never",
                help: "verify the store in the background: auto after a start that follows no\n"
                    + "orderly stop, up to 512 MiB; default auto"),
            DiskReserveFlag.flag,
            Flag(
                name: "max-artifact", value: "SIZE",
                help:
                    "the largest content that a client may upload, such as 500MiB, at most 1TiB; default 10GiB"
            ),
            Flag(
                name: "write-queue", value: "N",
                help: "new jobs are refused (503) while this many writes wait for the disk, 100 to 1000000;\n"
                    + "default 10000"),
            Flag(
                name: "backlog", value: "TIME",
                help: "new jobs are refused (503) while one would wait this long in the queue, 100ms to 1h;\n"
                    + "default none: jobs are accepted and wait"),
            Flag(
                name: "write-delay", value: "TIME",
                help: "new jobs are refused (503) while the oldest write has waited this long, 10ms to 1m;\n"
                    + "default 1s"),
            Flag(
                name: "tls-cert", value: "FILE",
                help: "certificate chain (PEM); enables TLS, together with --tls-key"),
            Flag(name: "tls-key", value: "FILE", help: "private key (PEM)"),
            Flag(
                name: "trusted-proxy", value: "CIDR",
                help: "trust what proxies in this range say about the client, such as 127.0.0.1 or\n"
                    + "10.1.0.0/16; repeatable",
                isRepeatable: true),
            Flag(
                name: "proxy-fields", value: "x-forwarded|forwarded",
                help:
                    "the fields with the client that those proxies set: X-Forwarded-For, -Host and -Proto,\n"
                    + "or Forwarded (RFC 7239); default x-forwarded"),
            Flag(
                name: "user-header", value: "NAME",
                help: "the field in which those proxies name the user that they have authenticated, such as\n"
                    + "X-Forwarded-User; it is recorded with what the user does"),
            Flag(
                name: "tenant-limits", value: "NAME:LIST",
                help: "the most that a tenant may submit and have, such as\n"
                    + "acme:rate=10/s,unfinished=1000,artifacts=10GiB; * is all others; repeatable; default none",
                isRepeatable: true),
            Flag(
                name: "path-prefix", value: "PATH",
                help: "the path below which a proxy serves this server, such as /jobs: links begin with it,\n"
                    + "and requests may; default none"),
            Flag(
                name: "page", value: "full|read|off",
                help: "the page in a browser: full, read (it shows, and changes nothing) or off; default full"
            ),
            Flag(
                name: "page-dir", value: "DIR",
                help: "read the page's files from this folder at each request; for development of the page"),
            Flag(
                name: "trace-relation", value: "auto|child|link",
                help: "how the span of a job refers to its submission's, as a child or by a link: auto is a\n"
                    + "child when the job starts within a minute; default auto. OTEL_EXPORTER_OTLP_ENDPOINT\n"
                    + "and the other variables of OpenTelemetry turn traces on"),
            Flag(name: "access-log", help: "log a line for every request"),
            Flag(name: "log-level", value: "LEVEL", help: "debug, info, warning or error; default info"),
            Flag(
                name: "http-loops", value: "N",
                help: "threads that serve HTTP, 1 to 64; default half of the processors"),
            Flag(name: "port-file", value: "FILE", help: "write the port there when the server is ready"),
        ]

    /// Builds the configuration from flags and environment.
    /// - Throws: `.usage` for the first invalid value, with the values that are valid.
    static func config(
        _ arguments: some Sequence<String>, environment: [String: String]
    ) throws(CommandFailure) -> ServerConfig {
        let given = try Settings.arguments(arguments, flags: all, environment: environment, command: "serve")
        if let word = given.words.first {
            throw .usage("\"\(word)\" is not expected here; flags begin with two dashes", command: "serve")
        }
        return try config(given, environment: environment)
    }

    /// Builds the configuration from parsed flags.
    static func config(
        _ given: Arguments, environment: [String: String]
    ) throws(CommandFailure) -> ServerConfig {
        var config = ServerConfig()
        config.host = given.value("host") ?? config.host
        for name in given.all("host-name") {
            guard HostText.isName(name) else {
                throw .usage(
                    "\(given.said("host-name", name)): expected a name such as jobs.example.com, without a port",
                    command: "serve")
            }
            config.hostNames.append(name)
        }
        config.dataDirectory = given.value("data") ?? config.dataDirectory
        config.store = try SharedStoreAddress(given, command: "serve")
        config.store?.migrates = try given.isOn("migrate", otherwise: true, command: "serve")
        if let lease = try duration(given, "lease", from: "1s", to: "10m") { config.store?.lease = lease }
        config.advertised = try url(given, "advertise", "http://jobs-1.example:8080")
        config.publicURL = try url(given, "public-url", "https://jobs.example.com").map { text in
            text.utf8.last == 0x2F ? String(text.dropLast()) : text
        }
        config.artifacts = try ArtifactsAddress(given, environment: environment)
        if config.artifacts != nil, config.store == nil {
            throw .usage(
                "--artifacts needs --store; without it, large results are files in the data directory",
                command: "serve")
        }
        config.tokenFile = given.value("token-file")
        config.secretKeyFile = given.value("secret-key-file")
        config.egressAllow = try ranges(given, "egress-allow")
        config.egressConnections = try ranges(given, "egress-connections")
        config.trustedProxies = try trustedProxies(given)
        config.pathPrefix = try pathPrefix(given) ?? config.pathPrefix
        config.tenantLimits = try tenantLimits(given)
        config.logsAccess = try given.isOn("access-log", command: "serve")
        config.page.mode = try choice(given, "page") ?? config.page.mode
        config.page.directory = given.value("page-dir")
        config.tlsCertificate = given.value("tls-cert")
        config.tlsKey = given.value("tls-key")
        config.portFile = given.value("port-file")
        config.port = try number(given, "port", in: 0...65_535) ?? config.port
        config.publicListen = try PublicAddress(given, command: "serve")
        config.concurrency = try number(given, "concurrency", in: 1...10_000) ?? config.concurrency
        config.originGuards = try originGuards(given) ?? config.originGuards
        config.httpLoops = try number(given, "http-loops", in: 1...64)
        config.connectionsMax = try number(given, "connections", in: 1...1_000_000) ?? config.connectionsMax
        config.connectionsPerClient = try number(given, "connections-per-client", in: 1...1_000_000)
        config.diskReserve = try DiskReserveFlag.value(given, command: "serve")
        config.artifactMax = try artifactMax(given) ?? config.artifactMax
        config.writeQueue = try number(given, "write-queue", in: 100...1_000_000) ?? config.writeQueue
        config.backlog = try duration(given, "backlog", from: "100ms")
        config.writeDelay =
            try duration(given, "write-delay", from: "10ms", to: "1m") ?? config.writeDelay
        config.check = try choice(given, "check") ?? config.check
        config.sync = try choice(given, "sync") ?? config.sync
        config.traceRelation = try choice(given, "trace-relation") ?? config.traceRelation
        config.traceVariables = environment.filter { $0.key.hasPrefix("OTEL_") }
        config.logLevel = try choice(given, "log-level") ?? config.logLevel
        config.drainTimeout = try duration(given, "drain-timeout") ?? config.drainTimeout
        guard (config.tlsCertificate == nil) == (config.tlsKey == nil) else {
            throw .usage("--tls-cert and --tls-key belong together", command: "serve")
        }
        return config
    }

    private static func artifactMax(_ given: Arguments) throws(CommandFailure) -> Int64? {
        guard let text = given.value("max-artifact") else { return nil }
        guard let bytes = ByteSizeText.parse(text[...]), (1...1 << 40).contains(bytes) else {
            throw .usage(
                "\(given.said("max-artifact", text)): expected a size such as 500MiB or 10GiB, at most 1TiB",
                command: "serve")
        }
        return bytes
    }

    private static func pathPrefix(_ given: Arguments) throws(CommandFailure) -> PathPrefix? {
        guard let text = given.value("path-prefix") else { return nil }
        guard let prefix = PathPrefix(text) else {
            throw .usage(
                "\(given.said("path-prefix", text)): expected a path such as /jobs", command: "serve")
        }
        return prefix
    }

    private static func originGuards(_ given: Arguments) throws(CommandFailure) -> OriginGuards? {
        guard let text = given.value("origin-guards") else { return nil }
        guard let guards = OriginGuards(text) else {
            let known = OriginGuards.Word.allCases.map(\.rawValue).joined(separator: ",")
            throw .usage(
                "\(given.said("origin-guards", text)): expected all, none, or some of \(known)",
                command: "serve")
        }
        return guards
    }

    private static func url(
        _ given: Arguments, _ name: String, _ example: String
    ) throws(CommandFailure) -> String? {
        guard let text = given.value(name) else { return nil }
        let rest = ["http://", "https://"].lazy.compactMap { scheme in
            text.hasPrefix(scheme) ? text.dropFirst(scheme.count) : nil
        }.first
        guard let rest, !rest.isEmpty, text.utf8.count <= 200,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"@?#".utf8.contains($0) })
        else {
            throw .usage(
                "\(given.said(name, text)): expected a URL such as \(example)", command: "serve")
        }
        return text
    }

    private static func tenantLimits(
        _ given: Arguments
    ) throws(CommandFailure) -> [String: TenantLimits] {
        var found: [String: TenantLimits] = [:]
        for text in given.all("tenant-limits") {
            guard let (name, limits) = TenantLimitsText.read(text) else {
                throw .usage(
                    "\(given.said("tenant-limits", text)): expected a tenant and its limits, such as "
                        + "acme:rate=10/s,unfinished=1000,artifacts=10GiB", command: "serve")
            }
            found[name] = limits
        }
        return found
    }

    private static func trustedProxies(_ given: Arguments) throws(CommandFailure) -> TrustedProxies {
        let ranges = try ranges(given, "trusted-proxy")
        let userField = given.value("user-header")
        let family: TrustedProxies.Family? = try choice(given, "proxy-fields")
        if family != nil, ranges.isEmpty {
            throw .usage(
                "--proxy-fields needs --trusted-proxy: the fields of others are never read", command: "serve")
        }
        if let userField {
            guard !ranges.isEmpty else {
                throw .usage(
                    "--user-header needs --trusted-proxy: only proxies that are trusted may name the user",
                    command: "serve")
            }
            let isName = userField.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x2D
                    || byte == 0x5F
            }
            guard isName, !userField.isEmpty, userField.utf8.count <= 100 else {
                throw .usage(
                    "\(given.said("user-header", userField)): expected the name of a field such as X-Forwarded-User",
                    command: "serve")
            }
        }
        return TrustedProxies(
            ranges, family: family ?? .xForwarded, userField: userField)
    }

    private static func ranges(_ given: Arguments, _ name: String) throws(CommandFailure) -> [CIDR] {
        var ranges: [CIDR] = []
        for text in given.all(name) {
            guard let range = CIDR(text) else {
                throw .usage(
                    "\(given.said(name, text)): expected a range such as 10.1.0.0/16 or fd00::/8",
                    command: "serve")
            }
            ranges.append(range)
        }
        return ranges
    }

    private static func number(
        _ given: Arguments, _ name: String, in range: ClosedRange<Int>
    ) throws(CommandFailure) -> Int? {
        guard let text = given.value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .usage(
                "\(given.said(name, text)): expected a number from \(range.lowerBound) to \(range.upperBound)",
                command: "serve")
        }
        return number
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ given: Arguments, _ name: String
    ) throws(CommandFailure) -> Choice? {
        try given.word(name, of: Choice.allCases.map(\.rawValue), command: "serve")
            .flatMap { Choice(rawValue: $0) }
    }

    /// A duration as in a spec (`30s`, `5m`, `250ms`), or a bare number of seconds.
    private static func duration(
        _ given: Arguments, _ name: String, from least: String = "0s", to most: String = "1h"
    ) throws(CommandFailure) -> Duration? {
        guard let text = given.value(name) else { return nil }
        guard let time = try? DurationText.parse(Int64(text) == nil ? text : text + "s"),
            let first = try? DurationText.parse(least), let last = try? DurationText.parse(most),
            time >= first, time <= last
        else {
            throw .usage(
                "\(given.said(name, text)): expected a time such as 30s or 5m, \(least) to \(most)",
                command: "serve")
        }
        return time
    }
}
