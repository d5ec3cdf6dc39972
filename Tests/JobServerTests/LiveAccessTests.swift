import Foundation
import StrictJSON
import Testing

/// Access, commands and the life of the real program.
@Suite(.serialized) struct `The live program` {
    private let spec = #"{"type": "delay", "for": "1s", "delay": "1h"}"#

    @Test func `answers what is wrong with a request`() throws {
        let server = try LiveServer()
        #expect(try server.get("/nowhere").status == 404)
        let put = try server.send("PUT", "/v1/jobs", body: "{}")
        #expect(put.status == 405)
        #expect(put.field("allow") == "POST, GET, HEAD")
        #expect(try server.get("/v1/jobs", headers: ["Accept: text/html"]).status == 406)
        let form = try server.post(
            "/v1/jobs", spec, headers: ["Content-Type: application/x-www-form-urlencoded"])
        #expect(form.status == 415)
        let types = ["Content-Type: application/json", "Content-Type: text/x-shellscript"]
        for path in ["/v1/jobs", "/v1/jobs:batch"] {
            let both = try server.post(path, spec, headers: types)
            #expect(both.status == 400)
            #expect(both.at("/detail")?.string?.contains("several Content-Type") == true)
        }
        let large = server.directory.appending(path: "large.json")
        try Data(repeating: 0x20, count: (1 << 20) + 1).write(to: large)
        let tooLarge = try server.send("POST", "/v1/jobs", body: "@\(large.path)")
        #expect(tooLarge.status == 413)
        #expect(tooLarge.at("/type") == "/v1/problems/payload-too-large")
        #expect(try server.get("/v1/jobs/none").status == 404)
        #expect(try server.get("/v1/jobs/job_00000000000000000000000000?x=1").status == 400)
        let mine = try server.get("/healthz", headers: ["X-Request-Id: mine-1"])
        #expect(mine.field("x-request-id") == "mine-1")
        let odd = try server.send("GET", "/healthz", headers: ["Transfer-Encoding: gzip"])
        #expect(odd.field("content-type") == "application/problem+json")
    }

    @Test func `describes itself`() throws {
        let server = try LiveServer()
        #expect(try server.get("/healthz").status == 200)
        #expect(try server.get("/readyz").status == 200)
        let api = try server.get("/openapi.yaml")
        #expect(api.field("content-type") == "application/yaml")
        #expect(String(decoding: api.body, as: UTF8.self).hasPrefix("openapi: 3.1"))
        #expect(try server.get("/v1/problems/invalid-spec").at("/status") == 422)
        #expect(try server.get("/v1/problems/invalid-spek").status == 404)
        let metrics = String(decoding: try server.get("/metrics").body, as: UTF8.self)
        #expect(metrics.contains("jobserver_jobs{state=\"queued\"} 0"))
        #expect(metrics.contains("process_open_fds "))
    }

    @Test func `checks a spec without keeping it`() throws {
        let server = try LiveServer()
        let plan = try server.post("/v1/jobs?validate_only=true", spec)
        #expect(plan.status == 200)
        #expect(plan.at("/valid") == true)
        #expect(try server.get("/v1/jobs").at("/items") == [])
        #expect(try server.post("/v1/jobs?validate=true", spec).at("/errors/0/suggestion") == nil)
    }

    @Test func `asks for a token before anything else`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let file = home.appending(path: "tokens").path
        let made = try LiveServer.command(["token", "create", "--token-file", file, "--name", "ada"])
        #expect(made.code == 0)
        let token = made.output.trimmingCharacters(in: .newlines)
        let eye = try LiveServer.command(
            ["token", "create", "--token-file", file, "--name", "eye", "--scope", "read"]
        ).output.trimmingCharacters(in: .newlines)
        let server = try LiveServer(["--token-file", file], directory: home)
        let refused = try server.post("/v1/jobs", "not json")
        #expect(refused.status == 401)
        #expect(refused.field("www-authenticate")?.hasPrefix("Bearer") == true)
        #expect(try server.get("/nowhere").status == 401)
        #expect(try server.get("/healthz").status == 200)
        #expect(try server.post("/v1/jobs", spec, headers: ["Authorization: Bearer \(token)"]).status == 202)
        #expect(try server.post("/v1/jobs", spec, headers: ["Authorization: Bearer \(eye)"]).status == 403)
        #expect(try server.get("/v1/jobs", headers: ["Authorization: Bearer \(eye)"]).status == 200)
        #expect(!server.log.contains(token))

        _ = try LiveServer.command(["token", "revoke", "--token-file", file, "--name", "ada"])
        kill(server.pid, SIGHUP)
        var status = 200
        for _ in 0..<100 where status != 401 {
            status = try server.get("/v1/jobs", headers: ["Authorization: Bearer \(token)"]).status
        }
        #expect(status == 401)
    }

    @Test func `refuses to start with a text that helps`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let data = home.appending(path: "data").path
        let open = try LiveServer.command(["serve", "--host", "0.0.0.0", "--port", "0", "--data", data])
        #expect(open.code == 3)
        #expect(open.errors.contains("token create"))
        let server = try LiveServer()
        let port = try #require(server.url.split(separator: ":").last.map(String.init))
        let taken = try LiveServer.command(["serve", "--port", port, "--data", data])
        #expect(taken.code == 4)
        #expect(taken.errors.contains("port is taken"))
        let inUse = try LiveServer.command(
            ["serve", "--port", "0", "--data", server.directory.appending(path: "data").path])
        #expect(inUse.code == 5)
        #expect(inUse.errors.contains("in use"))
        #expect(try LiveServer.command(["serve", "--prot", "1"]).code == 2)
        #expect(try LiveServer.command(["srve"]).errors.contains("Did you mean serve?"))
    }

    @Test func `serves a port with several threads and notices that it is taken`() throws {
        let server = try LiveServer(["--http-loops", "3"])
        for _ in 0..<10 { #expect(try server.get("/healthz").status == 200) }
        let port = try #require(server.url.split(separator: ":").last.map(String.init))
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let taken = try LiveServer.command(
            ["serve", "--port", port, "--http-loops", "2", "--data", home.appending(path: "data").path])
        #expect(taken.code == 4)
        #expect(server.stop() == 0)
    }

    @Test func `checks a spec on the command line`() throws {
        let good = try LiveServer.command(["check", "-"], input: spec)
        #expect(good.code == 0)
        let bad = try LiveServer.command(
            ["check", "-"], input: "{\n \"type\": \"dealy\",\n \"for\": \"1s\"\n}")
        #expect(bad.code == 1)
        #expect(bad.errors.hasPrefix("-:2: "))
        #expect(bad.errors.contains("delay"))
        #expect(try LiveServer.command(["version"]).output.hasPrefix("jobserver "))
        #expect(try LiveServer.command(["--help"]).output.contains("curl --json"))
    }

    @Test func `stops in order and keeps what it was given`() throws {
        let keep = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: keep) }
        let first = try LiveServer(directory: keep)
        let id = try first.submit(spec)
        #expect(first.stop() == 0)
        let second = try LiveServer(directory: keep)
        #expect(try second.get("/v1/jobs/\(id)").at("/state") == "scheduled")
        #expect(second.stop(SIGKILL) == -9)
        let third = try LiveServer(directory: keep)
        #expect(try third.get("/v1/jobs/\(id)").at("/state") == "scheduled")
        #expect(third.stop(SIGINT) == 0)
    }
}
