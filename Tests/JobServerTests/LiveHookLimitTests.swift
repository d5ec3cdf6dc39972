import Foundation
import StrictJSON
import Testing

/// Limits of hooks, and what their owners do with deliveries.
@Suite struct `A hook that is looked after` {
    private static let job = #""job": {"type": "value", "value": {"ref": {"$hook": "", "at": "/body/ref"}}}"#

    @Test func `acts again for all deliveries with an outcome, a hundred at a time`() throws {
        let server = try LiveServer()
        try server.hook("push", Self.job + #", "when": {"at": "/body/ref", "equals": "main"}"#)
        for ref in 1...101 {
            #expect(try server.deliver("/hooks/push", #"{"ref": "\#(ref)"}"#, id: "\(ref)").status == 202)
        }
        try server.hook("push", Self.job)
        func replay(_ body: String) throws -> LiveServer.Answer {
            try server.post("/v1/hooks/push/deliveries:replay", body)
        }
        let first = try replay(#"{"outcome": "ignored"}"#)
        #expect(first.at("/items")?.array?.count == 100)
        let before = try #require(first.at("/next_before")?.string)
        let second = try replay(#"{"outcome": "ignored", "before": "\#(before)"}"#)
        #expect(second.at("/items")?.array?.count == 1)
        #expect(second.at("/next_before") == nil)
        #expect(try server.get("/v1/jobs:count").at("/count")?.number?.int == 101)
        for wrong in [
            #"{"outcome": "duplicate"}"#, #"{"outcome": "ignored", "ids": []}"#, #"{"before": "x"}"#,
        ] {
            #expect(try replay(wrong).status == 400, "\(wrong)")
        }
    }

    @Test func `acts once for each delivery that is replayed by its outcome`() throws {
        let server = try LiveServer()
        let never = #", "when": {"at": "/body/ref", "equals": "main"}"#
        try server.hook("push", Self.job + never)
        for ref in 1...3 {
            #expect(try server.deliver("/hooks/push", #"{"ref": "\#(ref)"}"#, id: "\(ref)").status == 202)
        }
        func replay() throws -> [JSONValue] {
            let answer = try server.post("/v1/hooks/push/deliveries:replay", #"{"outcome": "ignored"}"#)
            return try #require(answer.at("/items")?.array)
        }
        func jobs() throws -> Int? { try server.get("/v1/jobs:count").at("/count")?.number?.int }
        // What is ignored again is not replayed itself.
        #expect(try replay().count == 3)
        #expect(try replay().count == 3)
        try server.hook("push", Self.job)
        let ignored = try server.get("/v1/hooks/push/deliveries?outcome=ignored").at("/items")?.array
        #expect(ignored?.count == 9)
        // One acts through a replay of its replay.
        let again = try #require(ignored?.first?.object?["id"]?.string)
        let one = try server.post("/v1/hooks/push/deliveries/\(again):replay", "{}")
        #expect(one.status == 202, "\(one.json)")
        #expect(try replay().count == 2)
        #expect(try jobs() == 3)
        #expect(try replay().isEmpty)
        #expect(try server.client("hook", "replay", "push", "--outcome", "ignored").code == 0)
        #expect(try jobs() == 3)
        // By its id it acts each time.
        #expect(try server.post("/v1/hooks/push/deliveries/\(again):replay", "{}").status == 202)
        #expect(try jobs() == 4)
    }

    @Test func `acts again by a command, for one delivery or for all with an outcome`() throws {
        let server = try LiveServer()
        try server.hook("push", Self.job + #", "when": {"at": "/body/ref", "equals": "main"}"#)
        for ref in 1...102 {
            #expect(try server.deliver("/hooks/push", #"{"ref": "\#(ref)"}"#, id: "\(ref)").status == 202)
        }
        #expect(try server.deliver("/hooks/push", "{}", id: "x", key: "forged").status == 401)
        try server.hook("push", Self.job)
        let refused = try #require(
            try server.get("/v1/hooks/push/deliveries?outcome=refused").at("/items/0/id")?.string)
        let shown = try server.client("hook", "delivery", "push", refused, "--json")
        #expect(shown.output.contains(#""outcome":"refused""#), "\(shown.output)")
        #expect(try server.client("hook", "replay", "push", refused).code == 1)
        let all = try server.client("hook", "replay", "push", "--outcome", "ignored", "--json")
        #expect(all.code == 0, "\(all.errors)")
        #expect(all.output.split(separator: "\n").count == 102)
        let partly = try server.client("hook", "replay", "push", "--outcome", "refused")
        #expect(partly.code == 12)
        #expect(partly.output.contains(refused))
        #expect(try server.client("hook", "replay", "push", refused, "--refused").code == 0)
        #expect(try server.get("/v1/jobs:count").at("/count")?.number?.int == 103)
        #expect(try server.client("hook", "replay", "push").code == 2)
        #expect(try server.client("hook", "replay", "push", refused, "--outcome", "ignored").code == 2)
    }

    @Test func `takes deliveries at its rate, and does not count forged ones`() throws {
        let server = try LiveServer()
        let rate = #", "rate": {"count": 2, "per": "1h"}"#
        #expect(try server.hook("push", Self.job + rate).status == 201)
        for number in 1...5 {
            #expect(try server.deliver("/hooks/push", "{}", id: "x\(number)", key: "forged").status == 401)
        }
        for ref in ["a", "b"] {
            #expect(try server.deliver("/hooks/push", #"{"ref": "\#(ref)"}"#, id: ref).status == 202)
        }
        let refused = try server.deliver("/hooks/push", #"{"ref": "c"}"#, id: "c")
        #expect(refused.status == 429)
        #expect(refused.at("/code") == "hook.rate")
        let seconds = Int(refused.field("retry-after") ?? "") ?? 0
        #expect((1...1_800).contains(seconds))
        #expect(try server.get("/v1/jobs:count").at("/count")?.number?.int == 2)
        // The sender sends it again, when a person has raised the rate.
        try server.hook("push", Self.job)
        #expect(try server.deliver("/hooks/push", #"{"ref": "c"}"#, id: "c").status == 202)
    }

    @Test func `goes on when the token of who stored it has ended`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let file = home.appending(path: "tokens").path
        func token(_ name: String) throws -> [String] {
            let made = try LiveServer.command(["token", "create", "--token-file", file, "--name", name])
            return ["Authorization: Bearer \(made.output.trimmingCharacters(in: .newlines))"]
        }
        let (ada, eve) = (try token("ada"), try token("eve"))
        let server = try LiveProgram(["--token-file", file], directory: home)
        let body = #"{"verify": {"scheme": "none"}, \#(Self.job)}"#
        #expect(try server.send("PUT", "/v1/hooks/push", headers: ada, body: body).status == 201)
        _ = try LiveServer.command(["token", "revoke", "--token-file", file, "--name", "ada"])
        kill(server.pid, SIGHUP)
        for _ in 0..<100 where try server.get("/v1/hooks", headers: ada).status != 401 { usleep(20_000) }
        #expect(try server.get("/v1/hooks", headers: ada).status == 401)
        let taken = try server.post("/hooks/push", #"{"ref": "main"}"#)
        #expect(taken.status == 202)
        let job = try server.get("/v1/jobs/\(taken.at("/job_id")?.string ?? "")", headers: eve)
        #expect(job.at("/created_by") == "hook:push")
        #expect(try server.send("DELETE", "/v1/hooks/push", headers: eve).status == 204)
        #expect(try server.post("/hooks/push", #"{"ref": "next"}"#).status == 404)
    }
}
