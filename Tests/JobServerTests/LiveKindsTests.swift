import Foundation
import StrictJSON
import Testing

/// Kinds of operations other than calls, over HTTP.
@Suite(.serialized) struct `A live job` {
    private func done(_ server: LiveServer, _ spec: String) throws -> LiveServer.Answer {
        try server.post("/v1/jobs", spec, headers: ["Prefer: wait=20"])
    }

    @Test func `creates a member for each element of a list and reduces their results`() throws {
        let server = try LiveServer()
        let answer = try done(
            server,
            #"""
            {"type": "group", "name": "orders", "labels": {"team": "finance"}, "operations": [
              {"type": "value", "name": "list", "value": [{"n": 1}, {"n": 2}, {"n": 3}]},
              {"type": "group", "name": "each", "map": {"items": {"$get": "list"}, "as": "order",
               "operation": {"type": "value", "value": {"$item": "/n"}}}},
              {"type": "transform", "name": "sum", "input": {"$get": "each"}, "where": {"at": "", "greater": 1}, "reduce": "sum",
               "result": {"sum": {"$item": ""}, "team": {"$job": "labels", "at": "/team"}}},
              {"type": "group", "name": "door", "when": {"$get": "sum", "at": "/body/sum", "greater": 100},
               "operations": [{"type": "value", "name": "rich", "value": true}]}]}
            """#)
        #expect(answer.at("/state") == "succeeded")
        #expect(answer.at("/result/inline/sum/sum") == 5)
        #expect(answer.at("/result/inline/sum/team") == "finance")
        let id = try #require(answer.at("/id")?.string)
        let items = try server.get("/v1/jobs/\(id)/operations").at("/items")?.array ?? []
        let states = items.map {
            "\($0.object?["operation"]?.string ?? "") \($0.object?["state"]?.string ?? "")"
        }
        #expect(
            states == [
                "_root succeeded", "list succeeded", "each succeeded", "each/1 succeeded",
                "each/2 succeeded",
                "each/3 succeeded", "sum succeeded", "door skipped", "door/rich skipped",
            ])
    }

    @Test func `polls this server until another job is done`() throws {
        let server = try LiveServer()
        let other = try server.submit(#"{"type": "delay", "for": "1s"}"#)
        let answer = try done(
            server,
            #"""
            {"type": "poll", "request": "\#(server.url)/v1/jobs/\#(other)", "every": "300ms",
             "until": {"at": "/body/done", "equals": true}}
            """#)
        #expect(answer.at("/state") == "succeeded")
        let id = try #require(answer.at("/id")?.string)
        let attempts = try server.get("/v1/jobs/\(id)/attempts").at("/items")?.array ?? []
        #expect(attempts.count > 1)
        #expect(attempts.first?.object?["state"] == "not_done")
        #expect(attempts.last?.object?["state"] == "succeeded")
    }

    @Test func `carries a cursor from run to run, and gathers what all of them found`() throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script(
            "/orders", .json(200, #"{"items": [1, 2], "cursor": "b&c"}"#),
            .json(200, #"{"items": [3], "cursor": 7}"#), .json(200, #"{"items": null, "cursor": null}"#))
        let answer = try done(
            try LiveServer(),
            #"""
            {"type": "repeat", "until": {"at": "/body/cursor", "equals": null}, "gather": {"at": "/body/items"},
             "operation": {"type": "network", "request": {"url": "\#(url)", "query": {
               "run": {"$job": "run"}, "cursor": {"$previous": "", "at": "/body/cursor", "default": null}}}}}
            """#)
        #expect(answer.at("/state") == "succeeded")
        #expect(answer.at("/result/inline") == [1, 2, 3])
        #expect(
            upstream.calls(of: "/orders").map { $0.text.split(separator: " ")[1] } == [
                "/orders?run=1", "/orders?run=2&cursor=b%26c", "/orders?run=3&cursor=7",
            ])
    }

    @Test func `is refused with every problem at its place`() throws {
        let answer = try LiveServer().post(
            "/v1/jobs",
            #"""
            {"type": "group", "operations": [
              {"type": "transform", "input": [], "reduce": "total"},
              {"type": "poll", "request": "https://a.example/"},
              {"type": "value", "value": {"$item": "/id"}}]}
            """#)
        #expect(answer.status == 422)
        let found = answer.at("/errors")?.array?.map { $0.object?["pointer"]?.string ?? "" } ?? []
        #expect(found == ["/operations/0/reduce", "/operations/1", "/operations/2/value/$item"])
        #expect(answer.at("/errors/2/code") == "spec.not_available")
    }
}
