import FaultyHTTP
import HTTPMessage

/// A fault on the wire, with the call that it affects.
struct WireFault {
    /// The name in the table of `Docs/Errors.md`.
    let name: String
    /// Arranges the fault and completes the call, which has timeouts, the method `POST` and a little content.
    let arrange: (FaultWorld, inout HTTPCall) throws -> Void

    /// All of them, in the order of the table.
    static var all: [WireFault] { connections + silences + answers + contents + statuses + secure + proxies }

    /// A fault of a server that does this with the first connection.
    static func server(
        _ name: String, _ script: @escaping @Sendable (FaultConnection) -> Void
    ) -> WireFault {
        WireFault(name: name) { world, call in call.url = world.serve(script).url() }
    }

    /// A fault of a server that reads the request and answers with this text.
    static func answer(_ name: String, _ text: String) -> WireFault {
        server(name) { connection in
            connection.readRequest()
            connection.send(text)
        }
    }
}

/// The servers that the faults need, as long as they are needed.
final class FaultWorld {
    let authority: TestAuthority
    private var servers: [FaultServer] = []
    private var listeners: [SilentListener] = []
    private var tlsServers: [TLSServer] = []

    init() throws {
        authority = try TestAuthority()
        try authority.issue("good", for: "IP:127.0.0.1")
        try authority.issue("other", for: "DNS:other.example")
        try authority.issue("old", for: "IP:127.0.0.1", isExpired: true)
    }

    func serve(_ script: @escaping @Sendable (FaultConnection) -> Void) -> FaultServer {
        let server = FaultServer { connection, _ in script(connection) }
        servers.append(server)
        return server
    }

    func listen() -> SilentListener {
        let listener = SilentListener()
        listeners.append(listener)
        return listener
    }

    /// The URL of a TLS server with a certificate of the authority.
    func secure(_ certificate: String, _ options: String = "") throws -> String {
        let server = try TLSServer(authority, certificate: certificate, options: options)
        tlsServers.append(server)
        return "https://127.0.0.1:\(server.port)/"
    }

    func stop() {
        for server in servers { server.stop() }
        for listener in listeners { listener.stop() }
    }
}
