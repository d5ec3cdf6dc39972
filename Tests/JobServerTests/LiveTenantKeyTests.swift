import Foundation
import HTTPMessage
import StrictJSON
import Testing

@testable import JobServer

/// Keys and names that clients choose, written so that they look like those of a tenant.
@Suite(.serialized) struct `Keys that look like those of a tenant` {
    @Test(arguments: ["reject", "join", "replace", "wait"])
    func `find none of its jobs`(rule: String) throws {
        let teams = try TenantServer([])
        func job(_ key: String) -> String {
            #"{"type": "delay", "for": "1h", "unique": {"key": "\#(key)", "on_conflict": "\#(rule)"}}"#
        }
        let mine = try teams.acme.submit(job("k"))
        for key in ["acme/k", "acme\\u0001k"] {
            let answer = try teams.operate.post("/v1/jobs", job(key))
            #expect(!String(decoding: answer.body, as: UTF8.self).contains(mine), "\(answer.json)")
            #expect(answer.status == (key.contains("\\") ? 422 : 202), "\(answer.json)")
        }
        #expect(try teams.acme.get("/v1/jobs/\(mine)").at("/done") == false)
        // The key is the tenant's own for its own jobs.
        let again = try teams.acme.post("/v1/jobs", job("k"))
        let expected = ["reject": 409, "join": 200, "replace": 202, "wait": 202]
        #expect(again.status == expected[rule], "\(again.json)")
        if rule == "wait" {
            let id = again.at("/id")?.string ?? ""
            for client in [teams.acme, teams.operate] {
                #expect(try client.get("/v1/jobs/\(id)").at("/waiting_on/0/unique_key") == "k")
            }
        }
    }

    @Test func `exclude none of its operations`() throws {
        let teams = try TenantServer([])
        func held(_ key: String) -> String {
            #"""
            {"type": "group", "operations": [{"type": "await", "name": "hold", "signal": "go",
              "conditions": [{"type": "lock", "key": "\#(key)"}]}]}
            """#
        }
        let mine = try teams.acme.submit(held("printer"))
        try teams.acme.waits(mine)
        let value = #"""
            {"type": "value", "value": 1, "conditions": [{"type": "lock", "key": "acme/printer"}]}
            """#
        #expect(try teams.operate.run(value).at("/state") == "succeeded")
        let refused = try teams.operate.post("/v1/jobs", held("acme\\u0001printer"))
        #expect(refused.status == 422)
        #expect(refused.at("/errors/0/pointer") == "/operations/0/conditions/0/key", "\(refused.json)")
        #expect(refused.at("/errors/0/detail")?.string?.contains("control characters") == true)
        // An operator sees which job of the tenant has the key, by the name that the tenant gave it.
        let second = try teams.acme.submit(held("printer"))
        try teams.acme.waits(second)
        for client in [teams.acme, teams.operate] {
            let why = String(decoding: try client.get("/v1/jobs/\(second)/explain").body, as: UTF8.self)
            #expect(why.contains(mine), "\(why)")
            #expect(why.contains("\"printer\""), "\(why)")
            #expect(!why.contains("u0001"), "\(why)")
        }
    }

    @Test func `replay none of its submissions`() throws {
        let teams = try TenantServer([])
        let value = #"{"type": "value", "value": 1}"#
        let key = ["Idempotency-Key: k"]
        let mine = try #require(try teams.acme.post("/v1/jobs", value, headers: key).at("/id")?.string)
        for (client, key) in [(teams.operate, "acme/k"), (teams.operate, "k"), (teams.beta, "k")] {
            let answer = try client.post("/v1/jobs", value, headers: ["Idempotency-Key: \(key)"])
            #expect(answer.field("idempotency-replayed") == nil)
            #expect(answer.at("/id")?.string != mine)
        }
        #expect(try teams.acme.post("/v1/jobs", value, headers: key).at("/id")?.string == mine)
    }

    @Test func `name nothing that it has`() throws {
        let teams = try TenantServer([])
        let things = Belongings(
            ids: [:],
            names: [
                "secrets": "thing", "connections": "thing", "templates": "thing", "queues": "thing",
                "grants": "thing", "schedules": "thing", "hooks": "thing",
            ])
        try teams.acme.fillNames(things)
        let before = try teams.acme.snapshot(things)
        let foreign = Belongings(ids: [:], names: things.names.mapValues { "acme%2F" + $0 })
        for route in RouteTable.routes
        where [.put, .delete].contains(route.method) && !route.isForOperators && route.scope == .admin {
            let answer = try teams.operate.send(
                "\(route.method)", foreign.path(route), Belongings.body(route))
            #expect(
                (400..<500).contains(answer.status), "\(route.method) \(route.pattern.text): \(answer.json)")
        }
        #expect(try teams.acme.snapshot(things) == before)
        let queue = #"{"type": "value", "value": 1, "queue": "acme/mail"}"#
        #expect(try teams.operate.post("/v1/jobs", queue).at("/errors/0/pointer") == "/queue")
        let asks = #"""
            {"type": "value", "value": 1, "conditions": [{"type": "authorized_for", "grant": "acme/thing"}]}
            """#
        #expect(try teams.operate.post("/v1/jobs", asks).status == 422)
        #expect(try teams.acme.get("/v1/jobs").at("/items") == [])
    }

    @Test func `make no person of another one its own`() throws {
        let teams = try TenantServer(["--trusted-proxy", "127.0.0.1", "--user-header", "X-Forwarded-User"])
        let user = ["X-Forwarded-User: acme/alice"]
        let id = try teams.operate.submit(#"{"type": "delay", "for": "1h"}"#)
        let body = #"{"action": "hold", "ids": ["\#(id)"]}"#
        let bulk = try #require(
            try teams.operate.post("/v1/bulk-actions", body, headers: user).at("/id")?.string)
        #expect(try teams.acme.get("/v1/bulk-actions/\(bulk)").status == 404)
        #expect(try teams.acme.get("/v1/bulk-actions").at("/items") == [])
        #expect(try teams.acme.get("/v1/audit").at("/items") == [])
        let seen = try teams.operate.get("/v1/audit")
        #expect(seen.at("/items/0/by") == "acme/alice")
        #expect(seen.at("/items/0/tenant") == nil)
        #expect(try soon { try teams.operate.get("/v1/bulk-actions/\(bulk)").at("/state") == "completed" })
        #expect(try teams.operate.get("/v1/jobs/\(id)").at("/state") == "held")
        // A user of the tenant is the tenant's.
        let mine = try teams.acme.submit(#"{"type": "value", "value": 1, "run_at": "1h"}"#)
        #expect(try teams.acme.post("/v1/jobs/\(mine):cancel", headers: user).status == 200)
        #expect(try teams.acme.get("/v1/audit").at("/items/0/by") == "acme/alice")
        #expect(try teams.operate.get("/v1/audit").at("/items/0/tenant") == "acme")
    }

    @Test func `are not used when an operator reads what a job of the tenant sent`() throws {
        let teams = try TenantServer([])
        #expect(try teams.acme.send("PUT", "/v1/secrets/pass", #"{"text": "open-sesame"}"#).status == 201)
        let own = #"""
            {"base_url": "\#(teams.server.url)/", "auth": {"type": "bearer", "token": {"$secret": "pass"}}}
            """#
        #expect(try teams.acme.send("PUT", "/v1/connections/pay", own).status == 201)
        let other = #"{"base_url": "http://127.0.0.1:9/"}"#
        #expect(try teams.operate.send("PUT", "/v1/connections/pay", other).status == 201)
        let id = try teams.acme.submit(
            #"{"type": "network", "name": "call", "connection": "pay", "request": "healthz"}"#)
        #expect(try teams.acme.end(of: id).at("/done") == true)
        for client in [teams.acme, teams.operate] {
            let archive = try client.server.get(
                "/v1/jobs/\(id)/attempts",
                headers: ["Authorization: Bearer \(client.token)", "Accept: application/har+json"])
            let url = archive.at("/log/entries/0/request/url")?.string ?? ""
            #expect(url.hasPrefix(teams.server.url + "/healthz"), "\(archive.json)")
            #expect(!String(decoding: archive.body, as: UTF8.self).contains("open-sesame"))
        }
    }
}
