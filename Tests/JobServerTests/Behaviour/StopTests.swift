import Foundation
import StrictJSON
import Testing

@Suite struct `A program that is stopped` {
    @Test func `lets running jobs finish, keeps waiting ones, and continues them later`() async throws {
        let directory = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/running", .held(.status(200)))
        let next = upstream.script("/next", .status(200))
        let first = try LiveProgram(directory: directory)
        let running = try first.submit(#"{"type": "network", "request": "\#(url)"}"#)
        let waiting = try first.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [{"type": "delay", "for": "1s"},
              {"type": "network", "request": "\#(next)"}]}
            """#)
        await upstream.waitForCalls(of: "/running", 1)
        kill(first.pid, SIGTERM)
        upstream.release("/running")
        #expect(first.stop(0) == 0)
        let second = try LiveProgram(directory: directory)
        #expect(try second.get("/v1/jobs/\(running)").at("/state") == "succeeded")
        let ended = try second.get("/v1/jobs/\(waiting)", headers: ["Prefer: wait=20"])
        #expect(ended.at("/state") == "succeeded")
        #expect(upstream.count(of: "/running") == 1)
        #expect(upstream.count(of: "/next") == 1)
    }

    @Test func `answers while its work drains, and takes no new work`() async throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let call = upstream.script("/draining", .held(.status(200)))
        let server = try LiveProgram()
        let running = try server.submit(#"{"type": "network", "request": "\#(call)"}"#)
        await upstream.waitForCalls(of: "/draining", 1)
        let url = server.url + "/v1/jobs/\(running)"
        async let waiting = Self.wait(for: url)
        usleep(200_000)
        kill(server.pid, SIGTERM)
        var ready = try server.get("/readyz")
        while ready.status == 200 { ready = try server.get("/readyz") }
        #expect(ready.status == 503)
        #expect(ready.at("/code") == "server.shutting_down")
        let refused = try server.post("/v1/jobs", #"{"type": "delay", "for": "1s"}"#)
        #expect(refused.status == 503)
        #expect(refused.at("/code") == "server.shutting_down")
        #expect(refused.field("retry-after") != nil)
        #expect(try server.get("/healthz").status == 200)
        #expect(try server.get("/v1/jobs/\(running)").at("/state") == "running")
        upstream.release("/draining")
        #expect(try await waiting.contains(#""state":"succeeded""#))
        #expect(server.stop(0) == 0)
    }

    @concurrent private static func wait(for url: String) async throws -> String {
        try LiveServer.run(URL(filePath: "/usr/bin/curl"), ["-s", "-H", "Prefer: wait=20", url]).output
    }

    @Test func `serves a new certificate after SIGHUP, and the old one while the new one is bad`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let (certificate, key) = (home.appending(path: "cert.pem").path, home.appending(path: "key.pem").path)
        func make(_ name: String) throws {
            let made = try LiveServer.run(
                URL(filePath: "/usr/bin/openssl"),
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days",
                    "2", "-subj", "/CN=\(name)", "-keyout", key, "-out", certificate,
                ])
            try #require(made.code == 0)
        }
        try make("first")
        let server = try LiveProgram(["--tls-cert", certificate, "--tls-key", key], directory: home)
        func subject() throws -> String {
            let port = try #require(server.url.split(separator: ":").last)
            let shown = try LiveServer.run(
                URL(filePath: "/usr/bin/openssl"), ["s_client", "-connect", "127.0.0.1:\(port)"])
            return shown.output.components(separatedBy: "\n").first { $0.hasPrefix("subject=") } ?? ""
        }
        func hangUp(until event: String) {
            kill(server.pid, SIGHUP)
            while !server.log.contains(event) { usleep(1_000) }
        }
        #expect(try subject().contains("first"))
        try make("second")
        hangUp(until: "certificate_read\"")
        #expect(try subject().contains("second"))
        try Data("not a key".utf8).write(to: URL(filePath: key))
        hangUp(until: "certificate_unreadable")
        #expect(try subject().contains("second"))
        #expect(try server.get("/healthz").status == 200)
        // There is no token file.
        #expect(!server.log.contains("tokens_read"))
    }
}
