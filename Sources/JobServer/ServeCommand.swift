import Commands
import EventIO
import FoundationEssentials
import JobSpec

/// `jobserver serve`: runs the server until it receives a stop signal.
enum ServeCommand {
    /// Starts the server, prints its address, and returns after an orderly stop.
    static func run(
        _ arguments: some Sequence<String>, environment: [String: String], kinds: OperationKinds
    ) async throws(CommandFailure) {
        let config = try ServeFlags.config(arguments, environment: environment)
        let log = Log(level: config.logLevel, sink: LogSink(output: .standardError))
        defer { log.finish() }
        let server = try await start(config, kinds: kinds, log: log, manager: ServiceManager(environment))
        if let path = config.portFile { try writePort(server.port, to: path) }
        announce(config, port: server.port, publicPort: server.publicPort)
        warn(config, environment, log)
        server.reportReady(config.url(port: server.port))
        await server.runUntilStopped()
    }

    /// Builds a server and starts it.
    /// - Parameter heedsSignals: whether signals to the process are for this server.
    static func start(
        _ config: ServerConfig, kinds: OperationKinds, log: Log, manager: ServiceManager? = nil,
        heedsSignals: Bool = true
    ) async throws(CommandFailure) -> Server {
        let server = try await Assembly.build(config, kinds: kinds, log: log, manager: manager)
        try await server.start(heedsSignals: heedsSignals)
        return server
    }

    private static func announce(_ config: ServerConfig, port: Int, publicPort: Int?) {
        let url = config.url(port: port)
        let token = config.tokenFile == nil ? "" : " -H \"Authorization: Bearer $TOKEN\""
        let page = config.page.mode == .off ? "" : "Or look at it in a browser: \(url)/\n"
        let store = config.store.map { ", jobs in the schema \($0.schema) of a PostgreSQL" } ?? ""
        let open = publicPort.map { "Strangers reach hooks and callbacks at port \($0).\n" } ?? ""
        let text = """
            jobserver \(Version.text) listens on \(url), data in \(config.dataDirectory)\(store)
            Try: curl\(token) --json '{"type":"delay","for":"1s"}' -H 'Prefer: wait=5' \(url)/v1/jobs
            \(page)\(open)
            """
        DescriptorOutput.standardOutput.write(Array(text.utf8))
    }

    /// Says what is set up badly: as sentences to a person, and in the log otherwise.
    private static func warn(_ config: ServerConfig, _ environment: [String: String], _ log: Log) {
        let variables = CommandTable.misspelt(in: environment).map { variable -> (StaticString, String) in
            ("variable_unknown", "\(variable.name) sets nothing. Did you mean \(variable.meant)?")
        }
        let paths = PrivatePath.all(of: config).map { path -> (StaticString, String) in
            ("permissions_open", "\(path.text): \(path.remedy)")
        }
        for (event, text) in variables + paths {
            if DescriptorOutput.standardError.isTerminal {
                DescriptorOutput.standardError.write(Array("Warning: \(text)\n".utf8))
            } else {
                log.write(.warning, event, message: text)
            }
        }
    }

    private static func writePort(_ port: Int, to path: String) throws(CommandFailure) {
        do {
            try Data("\(port)\n".utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw CommandFailure(code: .configuration, text: "The port file \(path) cannot be written.")
        }
    }
}
