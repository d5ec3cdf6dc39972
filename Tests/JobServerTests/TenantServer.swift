import Foundation
import HTTPMessage
import StrictJSON
import Testing

@testable import JobServer

/// Whether a condition holds, within 30 s.
func soon(_ condition: () throws -> Bool) rethrows -> Bool {
    let latest = Date().addingTimeInterval(30)
    while try !condition() {
        if Date() >= latest { return false }
        usleep(20_000)
    }
    return true
}

/// A server with tokens of two tenants and of an operator.
final class TenantServer {
    let server: LiveServer
    let home: URL
    let acme, beta, operate: TenantClient

    init(_ flags: [String]) throws {
        home = LiveServer.temporaryDirectory()
        let file = home.appending(path: "tokens").path
        func token(_ name: String, _ more: [String]) throws -> String {
            let words = ["create", "--token-file", file, "--name", name] + more
            return try TokenCommand.run(words, environment: [:]).trimmingCharacters(in: .newlines)
        }
        let tokens = try ["acme", "beta"].map { try token($0, ["--tenant", $0]) } + [token("ops", [])]
        server = try LiveServer(flags + ["--token-file", file], directory: home)
        let clients = tokens.map { [server] in TenantClient(server: server, token: $0) }
        (acme, beta, operate) = (clients[0], clients[1], clients[2])
    }

    deinit { try? FileManager.default.removeItem(at: home) }
}

/// A client with a token.
struct TenantClient {
    let server: LiveServer
    let token: String

    func send(
        _ method: String, _ path: String, _ body: String? = nil, headers: [String] = []
    ) throws -> LiveServer.Answer {
        let stops = path.hasPrefix("/v1/events") ? ["--max-time", "1"] : []
        return try server.send(
            method, path, headers: ["Authorization: Bearer \(token)"] + headers, body: body, curl: stops)
    }

    func get(_ path: String) throws -> LiveServer.Answer { try send("GET", path) }

    func post(
        _ path: String, _ body: String? = nil, headers: [String] = []
    ) throws -> LiveServer.Answer {
        try send("POST", path, body, headers: headers)
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
        #expect(try soon { try rests(id) })
    }

    /// Whether a job waits; for an exclusive key it does so as pending.
    private func rests(_ id: String) throws -> Bool {
        ["waiting", "pending"].contains(try get("/v1/jobs/\(id)").at("/state")?.string)
    }

    /// Creates a bulk action, and waits for its end; returns its id.
    func bulk(_ body: String) throws -> String {
        let id = try #require(try post("/v1/bulk-actions", body).at("/id")?.string)
        #expect(try soon { try get("/v1/bulk-actions/\(id)").at("/state") == "completed" })
        return id
    }

    /// Makes one of everything, with texts that have `mark` in them.
    func fill(_ mark: String) throws -> Belongings {
        let ended = try submit(
            #"""
            {"type": "group", "name": "\#(mark)-ended", "queue": "mail", "queue_key": "\#(mark)-key",
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
                {"type": "authorized_for", "grant": "mail", "scope": "\#(mark)"}]},
              {"type": "await", "name": "waits", "signal": "go", "conditions": [
                {"type": "lock", "key": "printer"}]}]}
            """#)
        try waits(open)
        let late = try submit(
            #"{"type": "delay", "name": "\#(mark)-late", "for": "1s", "queue": "mail", "run_at": "2h"}"#)
        let asked = "/v1/approvals?job_id=\(open)"
        #expect(try soon { try get(asked).at("/items/0/id") != nil })
        let approval = try get(asked).at("/items/0/id")?.string ?? ""
        let names = [
            "secrets": "thing", "connections": "thing", "templates": "thing", "queues": "thing",
            "grants": "thing", "schedules": "thing", "hooks": "thing",
        ]
        try fillNames(Belongings(ids: [:], names: names))
        let delivery = try post("/hooks/\(mark)/thing", #"{"of": "\#(mark)"}"#)
        let made = try #require(delivery.at("/job_id")?.string, "\(delivery.json)")
        #expect(try end(of: made).at("/done") == true)
        let hold = #"{"action": "hold", "ids": ["\#(late)"], "reason": "\#(mark)"}"#
        let bulk = try post("/v1/bulk-actions", hold)
        let action = "/v1/bulk-actions/\(bulk.at("/id")?.string ?? "")"
        #expect(try soon { try get(action).at("/state") == "completed" })
        let upload = try post("/v1/artifacts", #""\#(mark)""#)
        return Belongings(
            ids: [
                "jobs": open, "ended": ended, "late": late, "approvals": approval,
                "bulk-actions": bulk.at("/id")?.string ?? "", "artifacts": upload.at("/id")?.string ?? "",
                "hooks": delivery.at("/id")?.string ?? "",
            ], names: names)
    }

    /// Makes everything that has a name.
    func fillNames(_ things: Belongings) throws {
        for route in RouteTable.routes
        where route.method == .put && route.scope != nil && !route.isForOperators {
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
final class Listening {
    private let process = Process()
    private let output: URL
    private let client: TenantClient

    init(_ client: TenantClient) throws {
        self.client = client
        output = client.server.directory.appending(path: "heard-\(UUID().uuidString)")
        try Data().write(to: output)
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments = [
            "-sN", "-H", "Authorization: Bearer \(client.token)", client.server.url + "/v1/events",
        ]
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
        #expect(soon { !heard.isEmpty })
    }

    private var heard: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    /// Makes a last change of its own, and returns what was heard up to it.
    func end() -> String {
        _ = try? client.submit(#"{"type": "value", "name": "beta-live", "value": 1, "queue": "mail"}"#)
        #expect(soon { heard.contains("beta-live") })
        // The threads of the tests block SIGTERM, and so does what they start.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return heard
    }
}
