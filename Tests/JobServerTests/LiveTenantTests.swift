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
            // The address of a hook is for senders, who have no token.
            let stored = text.replacing("/hooks/beta/", with: "")
            #expect(!stored.contains("beta/"), "\(path) shows a stored name: \(text)")
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
        _ route: Route, _ beta: TenantClient, _ foreign: Belongings, _ unknown: Belongings
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
            route.isForOperators || ["pause", "resume"].contains { name.hasSuffix(":\($0)") }
        if !isFound { #expect(answers[1].hasPrefix("404"), "\(name): \(answers[1])") }
    }

    @Test func `are limited to routes that are not about the whole server`() throws {
        let teams = try TenantServer([])
        for path in ["/metrics", "/v1/servers", "/v1/origins", "/v1/origins/example.com", "/v1/hosts"] {
            let answer = try teams.acme.get(path)
            #expect(answer.status == 403)
            #expect(answer.at("/detail")?.string?.contains("tenant") == true, "\(path)")
            #expect(try teams.operate.get(path).status != 403)
        }
    }

    @Test(.enabled(if: PostgresServer.isInstalled))
    func `see their own names at the end of a job's events, also on one PostgreSQL`() throws {
        let shared = SharedPlace()
        for flags in [[], try shared.flags()] {
            let teams = try TenantServer(flags)
            let id = try teams.acme.submit(#"{"type": "value", "value": 1, "queue": "mail"}"#)
            func end(for client: TenantClient) throws -> LiveStream.Event? {
                let header = ["Authorization: Bearer \(client.token)"]
                let stream = try LiveStream(teams.server, "/v1/jobs/\(id)/events", headers: header)
                return stream.events { $0.name == "end" }.last
            }
            #expect(try end(for: teams.acme)?.at("/queue") == "mail")
            #expect(try end(for: teams.operate)?.at("/queue") == "acme/mail")
        }
    }

    @Test func `use the same keys and names at the same time`() throws {
        let teams = try TenantServer([])
        let held = #"""
            {"type": "group", "operations": [{"type": "await", "name": "hold", "signal": "go",
              "conditions": [{"type": "lock", "key": "k"}]}]}
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
            #"{"type": "value", "value": 1, "conditions": [{"type": "authorized_for", "grant": "mail"}]}"#
        )
        try teams.beta.waits(waiting)
        #expect(try teams.acme.send("PUT", "/v1/grants/mail", #"{"state": "granted"}"#).status == 201)
        try teams.beta.waits(waiting)
        #expect(try teams.beta.send("PUT", "/v1/grants/mail", #"{"state": "granted"}"#).status == 201)
        #expect(try teams.beta.end(of: waiting).at("/state") == "succeeded")
    }

    @Test func `redact what their own jobs capture with their own secrets alone`() throws {
        let teams = try TenantServer([])
        #expect(try teams.acme.send("PUT", "/v1/secrets/word", #"{"text": "status"}"#).status == 201)
        let call = #"{"type": "network", "name": "call", "request": "\#(teams.server.url)/healthz"}"#
        for (client, isAcme) in [(teams.acme, true), (teams.beta, false), (teams.operate, false)] {
            let job = try client.run(call)
            #expect(job.at("/result/inline/status") == (isAcme ? nil : "ok"), "\(job.json)")
            #expect(job.at("/result/inline/***") == (isAcme ? "ok" : nil))
        }
    }

    @Test func `go on with a stream of changes that does not count those of the other`() throws {
        let teams = try TenantServer([])
        let header = ["Authorization: Bearer \(teams.beta.token)"]
        let value = #"{"type": "value", "value": 1}"#
        let stream = try LiveStream(teams.server, "/v1/events", headers: header)
        let first = try #require(stream.next())
        _ = try teams.acme.run(value)
        let job = try teams.beta.run(value).at("/id")
        let seen = try #require(stream.events(until: { $0.at("/done") == true }).last)
        stream.close()
        #expect(seen.at("/id") == job)
        func number(_ event: LiveStream.Event) -> UInt64 {
            UInt64(event.id.split(separator: "-").last ?? "") ?? 0
        }
        #expect(max(number(seen), number(first)) - min(number(seen), number(first)) > 1_000)
        let missed = try teams.beta.run(value).at("/id")
        let again = try LiveStream(teams.server, "/v1/events?after=\(seen.id)", headers: header)
        #expect(again.next()?.name == "bookmark")
        #expect(again.events(until: { $0.at("/done") == true }).last?.at("/id") == missed)
    }

    @Test func `have callbacks, schedules and bulk actions of their own`() throws {
        let teams = try TenantServer([])
        let id = try teams.acme.submit(
            #"""
            {"type": "value", "value": 1, "queue": "mail",
              "callbacks": [{"request": "\#(teams.server.url)/healthz", "states": ["succeeded"]}]}
            """#)
        #expect(try teams.acme.end(of: id).at("/state") == "succeeded")
        #expect(try soon { try teams.acme.get("/v1/jobs").at("/items")?.array?.count == 2 })
        let schedule = #"{"every": "1s", "job": {"type": "value", "value": 1, "queue": "nightly"}}"#
        #expect(try teams.acme.send("PUT", "/v1/schedules/tick", schedule).status == 201)
        let mine = "/v1/jobs?schedule=tick&queue=nightly"
        #expect(try soon { try teams.acme.get(mine).at("/items/0") != nil })
        #expect(try teams.acme.get(mine).at("/items/0/queue") == "nightly")
        #expect(try teams.acme.post("/v1/schedules/tick:run", #"{"overlap": "allow"}"#).status == 202)
        #expect(try teams.acme.send("DELETE", "/v1/schedules/tick").status == 204)
        #expect(try teams.beta.get("/v1/jobs").at("/items") == [])
        let bulk = try teams.beta.bulk(#"{"action": "erase", "ids": ["\#(id)"]}"#)
        let result = try teams.beta.get("/v1/bulk-actions/\(bulk)/results").at("/items/0")?.object
        #expect(result?["code"] == "job.not_found")
        let own = try teams.beta.get("/v1/bulk-actions/\(bulk)")
        #expect(own.at("/created_by") == "beta")
        #expect(own.at("/tenant") == nil)
        #expect(try teams.operate.get("/v1/bulk-actions/\(bulk)").at("/tenant") == "beta")
        let changes = try teams.operate.get("/v1/audit").at("/items")?.array ?? []
        let change = changes.first { $0.object?["target"]?.string == bulk }?.object
        #expect(change?["by"] == "beta")
        #expect(change?["tenant"] == "beta")
        #expect(try teams.acme.get("/v1/bulk-actions/\(bulk)").status == 404)
        let whole = try teams.beta.post(
            "/v1/bulk-actions?validate_only=true", #"{"action": "erase", "filter": {"state": "succeeded"}}"#)
        #expect(whole.at("/count") == 0)
        #expect(try teams.acme.get("/v1/jobs/\(id)").at("/state") == "succeeded")
        let copied = try teams.operate.bulk(#"{"action": "requeue", "ids": ["\#(id)"]}"#)
        let results = try teams.operate.get("/v1/bulk-actions/\(copied)/results")
        let made = results.at("/items/0/new_job_id")?.string ?? ""
        #expect(try teams.acme.end(of: made).at("/queue") == "mail")
    }
}
