import Foundation
import StrictJSON
import Testing

/// Access, commands and the life of the real program.
@Suite(.serialized) struct `The live program` {
    private let spec = #"{"type": "delay", "for": "1s", "run_at": "1h"}"#

    @Test func `explains a bad request`() throws {
        let server = try LiveServer()
        #expect(try server.get("/nowhere").status == 404)
        let put = try server.send("PUT", "/v1/jobs", body: "{}")
        #expect(put.status == 405)
        #expect(put.field("allow") == "POST, GET, HEAD")
        #expect(try server.get("/v1/jobs", headers: ["Accept: text/html"]).status == 406)
        let form = try server.post(
            "/v1/jobs", spec, headers: ["Content-Type: application/x-www-form-urlencoded"])
        #expect(form.status == 415)
        #expect(form.at("/detail")?.string?.contains("text/x-shellscript") == true)
        let pause = try server.post("/v1/queues/mail:pause", "a=b", headers: ["Content-Type: text/plain"])
        #expect(pause.status == 415)
        #expect(pause.at("/detail")?.string?.contains("text/x-shellscript") == false)
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
        #expect(tooLarge.at("/type") == "/v1/problems/request.body_too_large")
        #expect(tooLarge.at("/instance") == "/v1/jobs")
        let many = try server.post("/v1/jobs", "[\(spec)]")
        #expect(many.status == 422)
        #expect(many.at("/errors/0/detail")?.string?.contains("/v1/jobs:batch") == true)
        let page = try server.get("/v1/jobs?page_size=0")
        #expect(
            page.at("/errors/0/detail")
                == "page_size must be a whole number, at least 1; more than 500 counts as 500")
        #expect(try server.get("/v1/jobs?page_size=501").status == 200)
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
        #expect(try server.get("/v1/problems/spec.invalid").at("/status") == 422)
        #expect(try server.get("/v1/problems/spec.invalit").status == 404)
        let metrics = String(decoding: try server.get("/metrics").body, as: UTF8.self)
        #expect(metrics.contains("jobserver_jobs{state=\"queued\"} 0"))
        #expect(metrics.contains("process_open_fds "))
        #expect(metrics.contains("jobserver_loop_slice_seconds_max{loop=\"engine\"} "))
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
        let server = try LiveProgram(["--token-file", file], directory: home)
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

    @Test func `cannot be used by a web page of another site`() throws {
        let server = try LiveServer(["--host-name", "jobs.example"])
        let rebound = try server.get("/v1/jobs", headers: ["Host: evil.example"])
        #expect(rebound.status == 421)
        #expect(rebound.at("/code") == "request.host")
        #expect(rebound.at("/detail")?.string?.contains("--host-name evil.example") == true)
        #expect(try server.get("/v1/jobs", headers: ["Host: jobs.example:8080"]).status == 200)
        let id = try server.submit(spec)
        let page = ["Origin: http://evil.example", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"]
        for path in ["/v1/jobs", "/v1/jobs:batch", "/v1/jobs/\(id):cancel", "/v1/jobs/\(id)/signals/x"] {
            let sent = try server.send("POST", path, headers: page + ["Content-Type:"], body: spec)
            #expect(sent.status == 403, "\(path)")
            #expect(sent.at("/code") == "request.cross_site")
        }
        #expect(try server.get("/v1/jobs/\(id)").at("/state") == "scheduled")
        let untyped = try server.send("POST", "/v1/jobs", headers: ["Content-Type:"], body: spec)
        #expect(untyped.status == 415)
        #expect(try server.post("/v1/jobs/\(id):cancel").status == 200)
    }

    @Test func `rejects a bad body before it is sent`() throws {
        let server = try LiveServer()
        let form = ["Expect: 100-continue", "Content-Type: application/x-www-form-urlencoded"]
        let answer = try LiveServer.run(
            URL(filePath: "/usr/bin/curl"),
            ["-s", "-v", "-d", spec, server.url + "/v1/jobs"] + form.flatMap { ["-H", $0] })
        #expect(answer.errors.contains("415"))
        #expect(!answer.errors.contains("100 Continue"))
        let all = try LiveServer.run(
            URL(filePath: "/usr/bin/curl"),
            ["-s", "-i", "-X", "OPTIONS", "--request-target", "*", server.url])
        #expect(all.output.contains("204 No Content"))
        #expect(all.output.contains("Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS"))
    }

    @Test func `limits tokens to their scopes`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let file = home.appending(path: "tokens").path
        func token(_ name: String, _ scopes: String...) throws -> String {
            let words = ["token", "create", "--token-file", file, "--name", name]
            let made = try LiveServer.command(words + scopes.flatMap { ["--scope", $0] })
            return "Authorization: Bearer " + made.output.trimmingCharacters(in: .newlines)
        }
        let ada = try token("ada")
        let eye = try token("eye", "read")
        let hand = try token("hand", "write")
        let server = try LiveServer(["--token-file", file], directory: home)
        #expect(try server.get("/v1/jobs").field("www-authenticate") == #"Bearer realm="jobserver""#)
        let wrong = try server.get("/v1/jobs", headers: ["Authorization: Bearer js_wrong"])
        #expect(wrong.field("www-authenticate") == #"Bearer realm="jobserver", error="invalid_token""#)
        let scarce = try server.post("/v1/jobs", spec, headers: [eye])
        #expect(
            scarce.field("www-authenticate")
                == #"Bearer realm="jobserver", error="insufficient_scope", scope="write""#)
        #expect(try server.get("/v1/jobs", headers: [eye, ada]).status == 400)

        let secret = #"{"type": "delay", "for": "1ms", "metadata": {"pin": 4711}, "unique": {"key": "k"}}"#
        let held = #"{"type": "delay", "for": "1h", "metadata": {"pin": 4711}, "unique": {"key": "k"}}"#
        let done =
            try server.post("/v1/jobs", secret, headers: [ada, "Prefer: wait=10"]).at("/id")?.string ?? ""
        _ = try server.post("/v1/jobs", held, headers: [ada])
        let joined = held.replacing(#""key": "k""#, with: #""key": "k", "on_conflict": "join""#)
        let answers = [
            try server.post("/v1/jobs/\(done):cancel", headers: [hand]),
            try server.post("/v1/jobs", joined, headers: [hand]),
        ]
        for answer in answers {
            #expect(answer.status == 200)
            #expect(answer.at("/id") != nil)
            #expect(answer.at("/state") != nil)
            #expect(!String(decoding: answer.body, as: UTF8.self).contains("4711"))
            #expect(answer.at("/result") == nil)
        }
        #expect(try server.post("/v1/jobs/\(done):cancel", headers: [ada]).at("/metadata/pin") == 4711)

        let nightly = #"{"every": "24h", "job": {"type": "value", "value": 4711}}"#
        let path = "/v1/schedules/nightly"
        #expect(try server.send("PUT", path, headers: [ada], body: nightly).at("/spec/job/value") == 4711)
        for command in [":pause", ":resume", ":resume"] {
            let answer = try server.post(path + command, headers: [hand])
            #expect(answer.status == 200)
            #expect(answer.at("/name") == "nightly")
            #expect(!String(decoding: answer.body, as: UTF8.self).contains("4711"))
        }
    }

    @Test func `logs every request when it is asked to`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let file = home.appending(path: "tokens").path
        let made = try LiveServer.command(["token", "create", "--token-file", file, "--name", "ada"])
        let token = "Authorization: Bearer " + made.output.trimmingCharacters(in: .newlines)
        let server = try LiveProgram(
            ["--access-log", "--token-file", file, "--trusted-proxy", "127.0.0.1"], directory: home)
        let told = ["X-Forwarded-For: 203.0.113.7"]
        let good = try server.get("/healthz", headers: told + [token, "X-Request-Id: good"])
        #expect(try server.get("/v1/jobs", headers: told + ["X-Request-Id: bad"]).status == 401)
        _ = try server.send("GET", "/healthz", headers: ["Transfer-Encoding: gzip"])
        #expect(server.stop() == 0)
        let lines = server.log.split(separator: "\n").compactMap { try? JSONParser.parse(Array($0.utf8)) }
            .filter { $0.object?["event"] == "request" }
        let first = try #require(lines.first { $0.object?["request_id"] == "good" }?.object)
        #expect(first["level"] == "info")
        #expect(first["method"] == "GET")
        #expect(first["path"] == "/healthz")
        #expect(first["status"] == 200)
        #expect(first["bytes"]?.number?.int64 == Int64(good.body.count))
        #expect(first["milliseconds"] != nil)
        #expect(first["client"] == "203.0.113.7")
        #expect(first["token"] == "ada")
        let second = try #require(lines.first { $0.object?["request_id"] == "bad" }?.object)
        #expect(second["status"] == 401)
        #expect(second["token"] == nil)
        #expect(lines.contains { $0.object?["code"] != nil && $0.object?["client"] == "127.0.0.1" })
        #expect(!server.log.contains("js_"))
    }

    @Test func `has links through a proxy that strips a prefix`() throws {
        let server = try LiveServer(["--trusted-proxy", "127.0.0.1"])
        let prefix = ["X-Forwarded-Prefix: /jobs/"]
        let made = try server.post("/v1/jobs", spec, headers: prefix)
        let id = try #require(made.at("/id")?.string)
        #expect(made.field("location") == "/jobs/v1/jobs/\(id)")
        for _ in 0..<2 {
            #expect(try server.get("/v1/jobs/\(id)").at("/links/self")?.string == "/v1/jobs/\(id)")
            let read = try server.get("/v1/jobs/\(id)", headers: prefix)
            #expect(read.at("/links/cancel")?.string == "/jobs/v1/jobs/\(id):cancel")
        }
        _ = try server.submit(spec)
        let list = try server.get("/v1/jobs?page_size=1", headers: prefix)
        #expect(list.field("link")?.hasPrefix("</jobs/v1/jobs?page_size=1&page_token=") == true)
        #expect(list.at("/items/0/links/self")?.string?.hasPrefix("/jobs/v1/jobs/job_") == true)
        let direct = try LiveServer()
        let untold = try direct.post("/v1/jobs", spec, headers: prefix)
        #expect(untold.field("location")?.hasPrefix("/v1/") == true)
    }

    @Test func `is served below a prefix that a proxy keeps`() throws {
        let server = try LiveServer(["--path-prefix", "/jobs/"])
        let made = try server.post("/jobs/v1/jobs", spec)
        let id = try #require(made.at("/id")?.string)
        #expect(made.field("location") == "/jobs/v1/jobs/\(id)")
        #expect(try server.get("/jobs/v1/jobs/\(id)").at("/links/self")?.string == "/jobs/v1/jobs/\(id)")
        #expect(try server.get("/v1/jobs/\(id)").at("/links/self")?.string == "/jobs/v1/jobs/\(id)")
        #expect(try server.get("/jobs/page/").status == 200)
        #expect(try server.get("/jobs/session").status == 200)
        #expect(try server.get("/jobs/").at("/api") == "/jobs/v1")
        #expect(try server.get("/jobs/v1").at("/jobs") == "/jobs/v1/jobs")
        #expect(try server.get("/jobs/v1/jobs/").at("/detail")?.string?.contains("/v1/jobs?") == true)
        #expect(try server.get("/jobs/jobs/v1/jobs").status == 404)
        let again = ["Idempotency-Key: k"]
        let first = try server.submit(spec, headers: again)
        #expect(try server.post("/jobs/v1/jobs", spec, headers: again).at("/id")?.string == first)
    }

    @Test func `records the user whom a trusted proxy names`() throws {
        let server = try LiveServer(["--trusted-proxy", "127.0.0.1", "--user-header", "X-Forwarded-User"])
        let id = try server.submit(spec)
        let ada = ["X-Forwarded-User: ada@example.com"]
        #expect(try server.post("/v1/jobs/\(id):cancel", headers: ada).status == 200)
        #expect(try server.get("/v1/audit").at("/items/0/by") == "ada@example.com")
        #expect(try server.get("/v1/audit").at("/items/0/action") == "cancel")
        let direct = try LiveServer()
        let other = try direct.submit(spec)
        #expect(try direct.post("/v1/jobs/\(other):cancel", headers: ada).status == 200)
        #expect(try direct.get("/v1/audit").at("/items/0/by") == nil)
        let alone = try LiveServer.command(["serve", "--user-header", "X-Forwarded-User"])
        #expect(alone.code == 2)
        #expect(alone.errors.contains("--trusted-proxy"))
    }

    @Test func `refuses a token that has expired`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let file = home.appending(path: "tokens").path
        func create(_ name: String, _ more: String...) throws -> LiveServer.Ended {
            try LiveServer.command(["token", "create", "--token-file", file, "--name", name] + more)
        }
        let short = try create("short", "--expires", "2s").output.trimmingCharacters(in: .newlines)
        let drop = try create("drop", "--scope", "submit", "--expires", "P30D")
            .output.trimmingCharacters(in: .newlines)
        let all = try create("ops").output.trimmingCharacters(in: .newlines)
        #expect(try create("late", "--expires", "2020-01-01T00:00:00Z").code == 1)
        #expect(try create("odd", "--expires", "soon").errors.contains("such as 24h"))
        let server = try LiveServer(["--token-file", file], directory: home)
        var answer = try server.get("/v1/jobs", headers: ["Authorization: Bearer \(short)"])
        for _ in 0..<400 where answer.status == 200 {
            usleep(10_000)
            answer = try server.get("/v1/jobs", headers: ["Authorization: Bearer \(short)"])
        }
        #expect(answer.status == 401)
        #expect(answer.at("/detail")?.string?.contains("\"short\" expired at 20") == true)
        #expect(answer.field("www-authenticate")?.contains("invalid_token") == true)
        let list = try LiveServer.command(["token", "list", "--token-file", file]).output
        #expect(list.contains("short\tread,submit,write,admin\texpired 20"))
        #expect(list.contains("drop\tsubmit\texpires 20"))
        let only = ["Authorization: Bearer \(drop)"]
        let made = try server.post("/v1/jobs", spec, headers: only)
        #expect(made.status == 202)
        let id = try #require(made.at("/id")?.string)
        let shown = try server.get("/v1/jobs/\(id)", headers: ["Authorization: Bearer \(all)"])
        #expect(shown.at("/created_by") == "drop")
        let quick = try server.post("/v1/jobs", #"{"type": "value", "value": 1}"#, headers: only)
        let wait = ["Authorization: Bearer \(all)", "Prefer: wait=20"]
        let ended = try server.get("/v1/jobs/\(quick.at("/id")?.string ?? "")", headers: wait)
        #expect(ended.at("/state") == "succeeded")
        #expect(ended.at("/created_by") == "drop")
        #expect(try server.post("/v1/jobs:batch", "[\(spec)]", headers: only).at("/accepted") == 1)
        #expect(try server.post("/v1/jobs?validate_only=true", spec, headers: only).at("/valid") == true)
        for path in ["/v1/jobs/\(id)", "/v1/jobs", "/metrics", "/v1/events"] {
            #expect(try server.get(path, headers: only).status == 403, "\(path)")
        }
        #expect(try server.post("/v1/jobs/\(id):cancel", headers: only).status == 403)
        #expect(try server.send("PUT", "/v1/schedules/s", headers: only, body: "{}").status == 403)
    }

    @Test func `warns at the start of files that are open to others`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let data = home.appending(path: "data")
        let key = data.appending(path: "secret.key")
        let first = try LiveProgram(directory: home)
        #expect(first.stop() == 0)
        #expect(!first.log.contains("permissions_open"))
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: data.path)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key.path)
        let second = try LiveProgram(directory: home)
        _ = try second.send("PUT", "/v1/secrets/k", body: #"{"text": "s3cr3t-of-ours"}"#)
        let doctor = try LiveServer.command(["doctor", "--data", data.path])
        #expect(second.stop() == 0)
        #expect(second.log.contains("others may enter \(data.path) (mode 777): chmod 700"))
        #expect(second.log.contains("others may read \(key.path) (mode 644): chmod 600"))
        #expect(doctor.code == 1)
        #expect((doctor.output + doctor.errors).contains("others may read \(key.path)"))
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
        let server = try LiveProgram(["--http-loops", "3"])
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

    @Test func `stops gracefully and keeps accepted jobs`() throws {
        let keep = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: keep) }
        let first = try LiveProgram(directory: keep)
        let id = try first.submit(spec)
        #expect(first.stop() == 0)
        let second = try LiveProgram(directory: keep)
        #expect(try second.get("/v1/jobs/\(id)").at("/state") == "scheduled")
        #expect(second.stop(SIGKILL) == -9)
        let third = try LiveProgram(directory: keep)
        #expect(try third.get("/v1/jobs/\(id)").at("/state") == "scheduled")
        #expect(third.stop(SIGINT) == 0)
    }
}
