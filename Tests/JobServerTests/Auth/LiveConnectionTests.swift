import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// Connections over HTTP.
@Suite struct `A live connection` {
    private func put(_ server: LiveServer, _ name: String, _ body: String) throws -> LiveServer.Answer {
        try server.send("PUT", "/v1/connections/\(name)", body: body)
    }

    @Test func `is stored, read, listed and removed`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        var server = try LiveProgram(directory: home)
        let text =
            #"{"base_url": "https://crm.example/", "auth": {"type": "bearer", "token": {"$secret": "crm"}}}"#
        let first = try put(server, "crm", text)
        #expect(first.status == 201)
        #expect(first.at("/version") == 1)
        #expect(try put(server, "crm", text).at("/version") == 1)
        let moved = text.replacing("crm.example", with: "crm2.example")
        #expect(try put(server, "crm", moved).at("/version") == 2)
        #expect(try server.get("/v1/connections/crm").at("/spec/auth/token/$secret") == "crm")
        #expect(try server.get("/v1/connections").at("/items/0/name") == "crm")
        _ = server.stop()
        server = try LiveProgram(directory: home)
        #expect(try server.get("/v1/connections/crm").at("/version") == 2)
        #expect(try server.send("DELETE", "/v1/connections/crm").status == 204)
        #expect(try server.send("DELETE", "/v1/connections/crm").at("/code") == "connection.not_found")
        #expect(try server.get("/v1/connections").at("/items") == [])
        #expect(try put(server, "crm", #"{"base_url": "x"}"#).at("/errors/0/pointer") == "/base_url")
        #expect(try put(server, "No!", text).status == 404)
        _ = server.stop()
    }

    @Test func `serves calls, and a job with a deleted one fails with the reason`() throws {
        let upstream = FaultServer { connection, _ in connection.answerAll("{}") }
        defer { upstream.stop() }
        let server = try LiveServer()
        _ = try put(
            server, "here", #"{"base_url": "\#(upstream.url("/v2/"))", "headers": {"X-From": "here"}}"#)
        let spec = #"{"type": "network", "connection": "here", "request": "orders?a=1"}"#
        #expect(try server.post("/v1/jobs", spec, headers: ["Prefer: wait=20"]).at("/state") == "succeeded")
        let sent = try #require(upstream.requests.first)
        #expect(sent.hasPrefix("GET /v2/orders?a=1 HTTP/1.1\r\n"))
        #expect(sent.contains("X-From: here\r\n"))
        let tested = try server.post(
            "/v1/connections/here:test", #"{"url": "health"}"#, headers: ["Prefer: wait=20"])
        #expect(tested.at("/state") == "succeeded")
        #expect(
            try server.post("/v1/connections/here:test", headers: ["Prefer: wait=20"]).at("/state")
                == "succeeded")
        #expect(
            upstream.requests.suffix(2).map { String($0.prefix(17)) } == [
                "HEAD /v2/health H", "HEAD /v2/ HTTP/1.",
            ])
        #expect(try server.post("/v1/connections/gone:test").at("/code") == "connection.not_found")
        #expect(try server.send("DELETE", "/v1/connections/here").status == 204)
        let gone = try server.post("/v1/jobs", spec, headers: ["Prefer: wait=20"])
        #expect(gone.at("/error/code") == "auth.connection_missing")
    }

    @Test func `opens ranges that the server permits, and only for its own origin`() throws {
        let upstream = FaultServer { connection, _ in connection.answerAll("{}") }
        defer { upstream.stop() }
        let server = try LiveServer(["--egress-connections", "127.0.0.0/8"], opensLoopback: false)
        let base = #""base_url": "\#(upstream.url())""#
        #expect(try put(server, "here", "{\(base)}").at("/errors/0/code") == "egress.blocked")
        #expect(
            try put(server, "far", #"{\#(base), "egress": ["10.0.0.0/8", "127.0.0.0/8"]}"#).at(
                "/errors/0/pointer") == "/egress/0")
        #expect(try put(server, "here", #"{\#(base), "egress": ["127.0.0.0/8"]}"#).status == 201)
        func run(_ connection: String, _ url: String) throws -> LiveServer.Answer {
            try server.post(
                "/v1/jobs",
                #"{"type": "network", \#(connection) "request": "\#(url)", "retry": {"max_attempts": 1}}"#,
                headers: ["Prefer: wait=20"])
        }
        #expect(try run(#""connection": "here","#, "/x").at("/state") == "succeeded")
        // Another port is another origin: the range is not allowed for it.
        let other = FaultServer { connection, _ in connection.answerAll("{}") }
        defer { other.stop() }
        let left = try run(#""connection": "here","#, other.url("/x"))
        #expect(left.status == 422 || left.at("/error/code") == "egress.blocked")
        #expect(other.requests.isEmpty)
        #expect(try run("", upstream.url("/x")).status == 422)
        #expect(upstream.requests.count == 1)
    }

    @Test func `shows a certificate that a secret holds, and trusts its own authority`() throws {
        let place = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: place) }
        let peer = try MutualTLSPeer(in: place)
        let server = try LiveServer()
        func secret(_ name: String, _ file: String) throws {
            let text = try String(contentsOf: place.appending(path: file), encoding: .utf8)
            let body = JSONValue.object(JSONObject([("text", .string(text))])).encoded()
            #expect(
                try server.send("PUT", "/v1/secrets/\(name)", body: String(decoding: body, as: UTF8.self))
                    .status == 201)
        }
        try secret("cert", "client.pem")
        try secret("key", "client.key")
        let authority = JSONValue.string(
            try String(contentsOf: place.appending(path: "ca.pem"), encoding: .utf8))
        let ca = String(decoding: authority.encoded(), as: UTF8.self)
        let shown = #""client_cert": {"$secret": "cert"}, "client_key": {"$secret": "key"}, "min": "1.3","#
        for (name, tls) in [("full", shown), ("bare", "")] {
            let stored = try put(
                server, name,
                #"{"base_url": "https://127.0.0.1:\#(peer.port)/", "tls": {\#(tls) "ca": \#(ca)}}"#)
            #expect(stored.status == 201, "\(stored.json)")
        }
        func call(_ name: String) throws -> LiveServer.Answer {
            try server.post(
                "/v1/jobs",
                #"{"type": "network", "connection": "\#(name)", "request": "/", "retry": {"max_attempts": 1}}"#,
                headers: ["Prefer: wait=20"])
        }
        let known = try call("full")
        #expect(known.at("/state") == "succeeded", "\(known.json)")
        #expect(known.at("/result/inline/who") == "client")
        #expect(try call("bare").at("/state") == "failed")
        let untrusting = try server.post(
            "/v1/jobs",
            #"{"type": "network", "request": "https://127.0.0.1:\#(peer.port)/", "retry": {"max_attempts": 1}}"#,
            headers: ["Prefer: wait=20"])
        #expect(untrusting.at("/error/code") == "tls.certificate_untrusted")
    }
}

/// A TLS server that requires a certificate and reports its subject.
private final class MutualTLSPeer {
    let port: Int
    private let process = Process()

    private static let program = """
        import http.server, json, ssl
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                who = dict(x[0] for x in self.connection.getpeercert()['subject'])['commonName']
                body = json.dumps({'who': who}).encode()
                self.send_response(200)
                self.send_header('Content-Type', 'application/json')
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *_): pass
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain('server.pem', 'server.key')
        context.load_verify_locations('ca.pem')
        context.verify_mode = ssl.CERT_REQUIRED
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    private static let certificates = """
        new="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        openssl req -x509 $new -days 2 -subj /CN=Authority -keyout ca.key -out ca.pem \
            -addext basicConstraints=critical,CA:TRUE
        for name in server client; do
            openssl req $new -subj /CN=$name -keyout $name.key -out $name.csr
            echo "subjectAltName=IP:127.0.0.1" > $name.ext
            openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile $name.ext \
                -out $name.pem
        done
        """

    init(in place: URL) throws {
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", Self.certificates]
        shell.currentDirectoryURL = place
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.program]
        process.currentDirectoryURL = place
        process.standardOutput = output
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { break }
            line += String(decoding: piece, as: UTF8.self)
        }
        port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
