import Foundation
import HTTPMessage
import ScratchPostgres
import StrictJSON
import Testing

@testable import JobServer

/// Two tenants on one server, which find nothing of each other.
@Suite(.serialized) struct `Two tenants` {
    @Test func `find nothing of each other on any route`() throws { try compare([]) }

    @Test(.enabled(if: PostgresServer.isInstalled))
    func `find nothing of each other on any route of servers on one PostgreSQL`() throws {
        let shared = SharedPlace()
        try compare(shared.flags())
    }

    /// Everything that acme has by name, and jobs in all kinds of states.
    private func compare(_ flags: [String]) throws {
        let teams = try TenantServer(flags)
        let (acme, beta) = (teams.acme, teams.beta)
        let mine = try acme.fill("acme")
        let theirs = try beta.fill("beta")
        #expect(mine.names == theirs.names)
        let before = try acme.snapshot(mine)
        let stream = try beta.listen()
        let unknown = Belongings(
            ids: mine.ids.mapValues { $0.prefix(4) + "01hzzzzzzzzzzzzzzzzzzzzzzz" },
            names: mine.names.mapValues { _ in "nowhere" })
        let onlyAcme = Belongings(ids: mine.ids, names: mine.names.mapValues { _ in "elsewhere" })
        try acme.fillNames(onlyAcme)
        for route in RouteTable.routes where route.scope != nil && route.method != .put {
            try check(route, beta, onlyAcme, unknown)
        }
        #expect(try acme.snapshot(mine) == before, "acme has something that beta changed")
        for route in RouteTable.routes where route.method == .get && route.scope != nil {
            let path = theirs.path(route)
            let answer = try beta.get(path)
            let text = String(decoding: answer.body, as: UTF8.self)
            for id in mine.ids.values { #expect(!text.contains(id), "\(path): \(text)") }
            #expect(!text.contains("acme"), "\(path): \(text)")
            #expect(!text.contains("beta/"), "\(path) shows a stored name: \(text)")
            #expect(answer.status != 500)
        }
        let heard = stream.end()
        for id in mine.ids.values { #expect(!heard.contains(id)) }
        #expect(!heard.contains("acme"))
        #expect(heard.contains("beta-live"), "the stream has beta's own changes: \(heard)")
        let counts = try beta.get("/v1/jobs:count?by=queue,state")
        #expect(
            counts.at("/count") == (try teams.operate.get("/v1/jobs:count?queue=beta%2Fmail").at("/count")))
        let all = try teams.operate.get("/v1/jobs?page_size=500").at("/items")?.array ?? []
        let queues = Set(all.compactMap { $0.object?["queue"]?.string })
        #expect(queues.isSuperset(of: ["acme/mail", "beta/mail"]))
        for id in Array(mine.ids.values) + Array(theirs.ids.values) where id.hasPrefix("job_") {
            #expect(try teams.operate.get("/v1/jobs/\(id)").status == 200)
        }
        #expect(!teams.server.log.contains(#""level":"error""#), "\(teams.server.log)")
    }

    /// A foreign thing is answered exactly like one that does not exist.
    private func check(
        _ route: Route, _ beta: Client, _ foreign: Belongings, _ unknown: Belongings
    ) throws {
        let name = "\(route.method) \(route.pattern.text)"
        guard route.pattern.text.contains("{") else { return }
        let body = Belongings.body(route)
        let answers = try [foreign, unknown].map { things in
            let answer = try beta.send("\(route.method)", things.path(route), body)
            return "\(answer.status) " + things.blank(String(decoding: answer.body, as: UTF8.self))
        }
        #expect(answers[0] == answers[1], "\(name)")
        let isFound =
            route.isForOperators || ["pause", "resume", "purge"].contains { name.hasSuffix(":\($0)") }
        let missing = route.pattern.text.hasSuffix(":run") && name.contains("templates") ? "422" : "404"
        if !isFound { #expect(answers[1].hasPrefix(missing), "\(name): \(answers[1])") }
    }

    @Test func `are limited to routes that are not about the whole server`() throws {
        let teams = try TenantServer([])
        for path in ["/metrics", "/v1/servers", "/v1/origins", "/v1/origins/example.com"] {
            let answer = try teams.acme.get(path)
            #expect(answer.status == 403)
            #expect(answer.at("/detail")?.string?.contains("tenant") == true, "\(path)")
            #expect(try teams.operate.get(path).status != 403)
        }
    }

    @Test func `are held to their limits, which do not touch the other`() throws {
        let limits = ["--tenant-limits", "acme:unfinished=2", "--tenant-limits", "beta:rate=2/h"]
        let teams = try TenantServer(limits)
        let long = #"{"type": "delay", "for": "1h"}"#
        let first = try teams.acme.submit(long)
        _ = try teams.acme.submit(long)
        let full = try teams.acme.post("/v1/jobs", long)
        #expect(full.status == 429)
        #expect(full.at("/code") == "tenant.limited")
        #expect(full.field("retry-after") == "5")
        #expect(try teams.acme.post("/v1/jobs:batch", "[\(long)]").at("/accepted") != 1)
        #expect(try teams.acme.post("/v1/jobs/\(first):cancel").status == 200)
        #expect(try teams.acme.post("/v1/jobs", long).status == 202)
        #expect(try teams.acme.post("/v1/jobs", long).status == 429)
        for _ in 0..<2 { _ = try teams.beta.submit(#"{"type": "value", "value": 1}"#) }
        let late = try teams.beta.post("/v1/jobs", long)
        #expect(late.status == 429)
        #expect(late.at("/detail")?.string?.contains("rate") == true)
        #expect(try teams.operate.post("/v1/jobs", long).status == 202)
        let bad = try LiveServer.command(["serve", "--tenant-limits", "acme:rate=often"])
        #expect(bad.code == 2)
        #expect(bad.errors.contains("acme:rate=10/s"))
    }

    @Test func `use the same keys and names at the same time`() throws {
        let teams = try TenantServer([])
        let held = #"""
            {"type": "group", "operations": [{"type": "await", "name": "hold", "signal": "go",
              "conditions": [{"type": "mutual_exclusion", "key": "k"}]}]}
            """#
        for client in [teams.acme, teams.beta] {
            let first = try client.submit(held)
            try client.waits(first)
            let unique = #"{"type": "delay", "for": "1h", "unique": {"key": "u"}}"#
            #expect(try client.post("/v1/jobs", unique).status == 202)
            #expect(try client.post("/v1/jobs", unique).status == 409)
            let second = try client.submit(held)
            try client.waits(second)
            let why = try client.get("/v1/jobs/\(second)/explain")
            #expect(String(decoding: why.body, as: UTF8.self).contains(first), "\(why.json)")
        }
        let secret = #"{"text": "of-acme-alone"}"#
        #expect(try teams.acme.send("PUT", "/v1/secrets/k", secret).status == 201)
        #expect(try teams.beta.get("/v1/secrets/k").status == 404)
        let call = #"""
            {"type": "network", "request": {"method": "GET", "url": "\#(teams.server.url)/healthz",
              "headers": {"X-Key": {"$secret": "k"}}}}
            """#
        #expect(try teams.acme.run(call).at("/state") == "succeeded")
        #expect(try teams.beta.run(call).at("/error/code") == "auth.secret_missing")
        #expect(try teams.operate.run(call).at("/error/code") == "auth.secret_missing")
        let waiting = try teams.beta.submit(
            #"{"type": "value", "value": 1, "conditions": [{"type": "authorized_for", "capability": "mail"}]}"#
        )
        try teams.beta.waits(waiting)
        #expect(try teams.acme.send("PUT", "/v1/grants/mail", #"{"status": "granted"}"#).status == 201)
        try teams.beta.waits(waiting)
        #expect(try teams.beta.send("PUT", "/v1/grants/mail", #"{"status": "granted"}"#).status == 200)
        #expect(try teams.beta.end(of: waiting).at("/state") == "succeeded")
    }

    @Test func `have callbacks, schedules and bulk actions of their own`() throws {
        let teams = try TenantServer([])
        let id = try teams.acme.submit(
            #"""
            {"type": "value", "value": 1, "queue": "mail",
              "callbacks": [{"request": "\#(teams.server.url)/healthz", "on": ["succeeded"]}]}
            """#)
        #expect(try teams.acme.end(of: id).at("/state") == "succeeded")
        for _ in 0..<200 where try teams.acme.get("/v1/jobs").at("/items")?.array?.count != 2 {
            usleep(20_000)
        }
        #expect(try teams.acme.get("/v1/jobs").at("/items")?.array?.count == 2)
        let schedule = #"{"every": "1s", "job": {"type": "value", "value": 1, "queue": "nightly"}}"#
        #expect(try teams.acme.send("PUT", "/v1/schedules/tick", schedule).status == 201)
        let mine = "/v1/jobs?schedule=tick&queue=nightly"
        for _ in 0..<400 where try teams.acme.get(mine).at("/items/0") == nil { usleep(20_000) }
        #expect(try teams.acme.get(mine).at("/items/0/queue") == "nightly")
        #expect(try teams.acme.post("/v1/schedules/tick:run").status == 202)
        #expect(try teams.acme.send("DELETE", "/v1/schedules/tick").status == 204)
        #expect(try teams.beta.get("/v1/jobs").at("/items") == [])
        let foreign = try teams.beta.post("/v1/bulk", #"{"action": "erase", "ids": ["\#(id)"]}"#)
        let bulk = foreign.at("/id")?.string ?? ""
        for _ in 0..<200 where try teams.beta.get("/v1/bulk/\(bulk)").at("/state") != "completed" {
            usleep(20_000)
        }
        let result = try teams.beta.get("/v1/bulk/\(bulk)/results").at("/items/0")?.object
        #expect(result?["code"] == "job.not_found", "\(foreign.json)")
        #expect(try teams.beta.get("/v1/bulk/\(bulk)").at("/created_by") == "beta")
        #expect(try teams.acme.get("/v1/bulk/\(bulk)").status == 404)
        let whole = try teams.beta.post(
            "/v1/bulk?validate_only=true", #"{"action": "erase", "filter": {"state": "succeeded"}}"#)
        #expect(whole.at("/count") == 0)
        #expect(try teams.acme.get("/v1/jobs/\(id)").at("/state") == "succeeded")
        let again = try teams.operate.post("/v1/bulk", #"{"action": "requeue", "ids": ["\#(id)"]}"#)
        let copied = again.at("/id")?.string ?? ""
        for _ in 0..<200 where try teams.operate.get("/v1/bulk/\(copied)").at("/state") != "completed" {
            usleep(20_000)
        }
        let made = try teams.operate.get("/v1/bulk/\(copied)/results").at("/items/0/new_job_id")?.string ?? ""
        #expect(try teams.acme.end(of: made).at("/queue") == "mail")
    }
}

/// A server with tokens of two tenants and of an operator.
private final class TenantServer {
    let server: LiveServer
    let home: URL
    let acme, beta, operate: Client

    init(_ flags: [String]) throws {
        home = LiveServer.temporaryDirectory()
        let file = home.appending(path: "tokens").path
        func token(_ name: String, _ more: [String]) throws -> String {
            let words = ["token", "create", "--token-file", file, "--name", name] + more
            return try LiveServer.command(words).output.trimmingCharacters(in: .newlines)
        }
        let tokens = try ["acme", "beta"].map { try token($0, ["--tenant", $0]) } + [token("ops", [])]
        server = try LiveServer(flags + ["--token-file", file], directory: home)
        let clients = tokens.map { [server] in Client(server: server, token: $0) }
        (acme, beta, operate) = (clients[0], clients[1], clients[2])
    }

    deinit { try? FileManager.default.removeItem(at: home) }
}

/// A client with a token.
private struct Client {
    let server: LiveServer
    let token: String

    func send(_ method: String, _ path: String, _ body: String? = nil) throws -> LiveServer.Answer {
        let stops = path.hasPrefix("/v1/events") ? ["--max-time", "1"] : []
        return try server.send(
            method, path, headers: ["Authorization: Bearer \(token)"], body: body, curl: stops)
    }

    func get(_ path: String) throws -> LiveServer.Answer { try send("GET", path) }

    func post(_ path: String, _ body: String? = nil) throws -> LiveServer.Answer {
        try send("POST", path, body)
    }

    func submit(_ spec: String) throws -> String {
        let answer = try post("/v1/jobs", spec)
        return try #require(answer.at("/id")?.string, "\(answer.json)")
    }

    func end(of id: String) throws -> LiveServer.Answer {
        try server.get("/v1/jobs/\(id)", headers: ["Authorization: Bearer \(token)", "Prefer: wait=20"])
    }

    func run(_ spec: String) throws -> LiveServer.Answer { try end(of: submit(spec)) }

    func waits(_ id: String) throws {
        var answer = try get("/v1/jobs/\(id)")
        for _ in 0..<400 where !Self.rests(answer) {
            usleep(20_000)
            answer = try get("/v1/jobs/\(id)")
        }
        #expect(Self.rests(answer), "\(answer.json)")
    }

    /// Whether a job waits; for an exclusive key it does so as pending.
    private static func rests(_ answer: LiveServer.Answer) -> Bool {
        ["waiting", "pending"].contains(answer.at("/state")?.string)
    }

    /// Makes one of everything, with texts that have `mark` in them.
    func fill(_ mark: String) throws -> Belongings {
        let ended = try submit(
            #"""
            {"type": "group", "name": "\#(mark)-ended", "queue": "mail", "key": "\#(mark)-key",
              "labels": {"team": "\#(mark)"}, "metadata": {"of": "\#(mark)"}, "operations": [
                {"type": "network", "name": "step", "request": "\#(server.url)/v1/problems/\#(mark)"}]}
            """#)
        #expect(try end(of: ended).at("/done") == true)
        let open = try submit(
            #"""
            {"type": "group", "name": "\#(mark)-open", "queue": "mail", "operations": [
              {"type": "value", "name": "step", "value": "\#(mark)", "conditions": [
                {"type": "approval", "prompt": "Is it \#(mark)?"}]},
              {"type": "value", "name": "asks", "value": 1, "conditions": [
                {"type": "authorized_for", "capability": "mail", "scope": "\#(mark)"}]},
              {"type": "await", "name": "waits", "signal": "go", "conditions": [
                {"type": "mutual_exclusion", "key": "printer"}]}]}
            """#)
        try waits(open)
        let late = try submit(
            #"{"type": "delay", "name": "\#(mark)-late", "for": "1s", "queue": "mail", "delay": "2h"}"#)
        var approval = ""
        for _ in 0..<200 where approval.isEmpty {
            approval = try get("/v1/approvals?job=\(open)").at("/items/0/id")?.string ?? ""
            usleep(20_000)
        }
        let names = [
            "secrets": "thing", "connections": "thing", "templates": "thing", "queues": "thing",
            "grants": "thing", "schedules": "thing",
        ]
        try fillNames(Belongings(ids: [:], names: names))
        let bulk = try post("/v1/bulk", #"{"action": "hold", "ids": ["\#(late)"], "reason": "\#(mark)"}"#)
        return Belongings(
            ids: [
                "jobs": open, "ended": ended, "late": late, "approvals": approval,
                "bulk": bulk.at("/id")?.string ?? "",
            ], names: names)
    }

    /// Makes everything that has a name.
    func fillNames(_ things: Belongings) throws {
        for route in RouteTable.routes where route.method == .put && !route.isForOperators {
            let answer = try send("PUT", things.path(route), Belongings.body(route))
            #expect([200, 201].contains(answer.status), "\(route.pattern.text): \(answer.json)")
        }
    }

    /// The answers of all routes about the things, but for the parts that change by themselves.
    func snapshot(_ things: Belongings) throws -> [String: String] {
        var shown: [String: String] = [:]
        for route in RouteTable.routes
        where route.method == .get && route.scope != nil && !route.isForOperators
            && route.pattern.text.contains("{")
        {
            let path = things.path(route)
            let answer = try get(path)
            #expect([200, 202, 404].contains(answer.status), "\(path): \(answer.json)")
            shown[path] = String(decoding: answer.body, as: UTF8.self)
                .replacingOccurrences(of: #"req_[0-9a-z]+"#, with: "", options: .regularExpression)
        }
        return shown
    }

    /// Follows the changes of jobs.
    func listen() throws -> Listening { try Listening(self) }
}

/// A reader of the event stream of a client.
private final class Listening {
    private let process = Process()
    private let output: URL
    private let client: Client

    init(_ client: Client) throws {
        self.client = client
        output = client.server.directory.appending(path: "heard-\(UUID().uuidString)")
        try Data().write(to: output)
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments = [
            "-sN", "-H", "Authorization: Bearer \(client.token)", client.server.url + "/v1/events",
        ]
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
        for _ in 0..<200 where heard.isEmpty { usleep(20_000) }
    }

    private var heard: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    /// Makes a last change of its own, and returns what was heard up to it.
    func end() -> String {
        _ = try? client.submit(#"{"type": "value", "name": "beta-live", "value": 1, "queue": "mail"}"#)
        for _ in 0..<200 where !heard.contains("beta-live") { usleep(20_000) }
        // The threads of the tests block SIGTERM, and so does what they start.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return heard
    }
}
