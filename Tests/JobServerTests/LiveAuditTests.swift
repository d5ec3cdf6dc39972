import Foundation
import HTTPMessage
import JobStore
import StrictJSON
import Testing

@testable import JobServer

@Suite struct `The record of changes over HTTP` {
    private func changes(_ server: LiveServer, _ query: String = "") throws -> [JSONObject] {
        let answer = try server.get("/v1/audit\(query)")
        #expect(answer.status == 200, "\(answer.json)")
        return answer.at("/items")?.array?.compactMap(\.object) ?? []
    }

    @Test func `says who changed what, and shows no secret`() throws {
        let server = try LiveServer()
        let job = try server.submit(#"{"type":"delay","for":"1h"}"#)
        let answer = try server.post("/v1/jobs/\(job):cancel")
        #expect(try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=20"]).at("/done") == true)
        #expect(try server.post("/v1/jobs/\(job):cancel").status == 200)
        #expect(try server.post("/v1/jobs/\(job):retry").status == 202)
        #expect(try server.post("/v1/jobs/\(job):hold").status < 300)
        #expect(try server.send("PUT", "/v1/queues/mail", body: #"{"concurrency":1}"#).status == 201)
        #expect(try server.send("PUT", "/v1/queues/mail", body: #"{"concurrency":-1}"#).status == 422)
        #expect(try server.post("/v1/queues/mail:pause").status == 200)
        let limits = "/v1/hosts/a.example/limits"
        #expect(try server.send("PUT", limits, body: #"{"concurrency":1}"#).status == 201)
        #expect(try server.send("DELETE", "/v1/queues/mail").status == 204)
        #expect(try server.send("PUT", "/v1/secrets/key", body: #"{"text":"swordfish"}"#).status == 201)
        #expect(
            try server.send(
                "PUT", "/v1/templates/hello", body: #"{"operation":{"type":"value","value":1}}"#
            ).status < 300)
        #expect(try server.send("PUT", "/v1/grants/mail", body: #"{"state": "granted"}"#).status == 201)
        #expect(
            try server.send(
                "PUT", "/v1/schedules/s", body: #"{"cron":"@daily","job":{"type":"value","value":1}}"#
            ).status == 201)
        #expect(try server.post("/v1/schedules/s:pause").status == 200)
        #expect(try server.post("/v1/bulk-actions", #"{"action":"cancel","ids":["\#(job)"]}"#).status == 202)
        let found = try changes(server)
        let expected = [
            "bulk-actions post", "schedules pause", "schedules put", "grants put", "templates put",
            "secrets put",
            "queues delete", "hosts put", "queues pause", "queues put", "jobs hold", "jobs retry",
            "jobs cancel",
        ]
        #expect(found.map { "\($0["kind"]?.string ?? "") \($0["action"]?.string ?? "")" } == expected)
        let cancel = try #require(found.last)
        #expect(cancel["target"]?.string == job)
        #expect(cancel["by"] == nil)
        #expect(cancel["address"] == "127.0.0.1")
        #expect(cancel["request_id"]?.string == answer.field("x-request-id"))
        #expect(found[9]["before"] == nil)
        #expect(found[9]["after"]?.string?.hasPrefix("sha256:") == true)
        #expect(found[8]["before"] == found[9]["after"])
        #expect(found[6]["after"] == nil)
        #expect(!String(decoding: try server.get("/v1/audit").body, as: UTF8.self).contains("swordfish"))
        #expect(try changes(server, "?page_size=2").count == 2)
        #expect(try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=20"]).at("/done") == true)
        #expect(try server.send("DELETE", "/v1/jobs/\(job)").status < 300)
        #expect(try changes(server).first?["action"] == "erase")
        let lines = try server.get("/v1/audit?page_size=3", headers: ["Accept: application/x-ndjson"])
        #expect(lines.field("content-type") == "application/x-ndjson")
        #expect(lines.field("link")?.contains("page_token=") == true)
        #expect(lines.body.split(separator: UInt8(ascii: "\n")).count == 3)
        #expect(try server.get("/v1/audit?by=me").status == 400)
    }

    @Test func `survives a crash with the change`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        do {
            let server = try LiveProgram(directory: home)
            #expect(try server.send("PUT", "/v1/queues/mail", body: #"{"concurrency":1}"#).status == 201)
            #expect(server.stop(SIGKILL) == -9)
        }
        let server = try LiveProgram(directory: home)
        #expect(try changes(server).map { $0["target"] } == ["mail"])
    }

    @Test func `notes what changed in the token file`() {
        let scoped = TokenEntry(name: "b", digest: [2], scopes: [.read])
        let before = [TokenEntry(name: "a", digest: [1]), TokenEntry(name: "b", digest: [2]), scoped]
        let after = [scoped, TokenEntry(name: "c", digest: [3])]
        let records = TokenEntry.changes(
            from: Array(before.prefix(2)), to: after, at: SystemTime.now())
        #expect(records.map { "\($0.action) \($0.target)" } == ["remove a", "change b", "add c"])
        #expect(records.map { $0.before == nil } == [false, false, true])
        #expect(records.map { $0.after == nil } == [true, false, false])
        #expect(TokenEntry.changes(from: after, to: after, at: SystemTime.now()).isEmpty)
    }

    @Test func `has no line for what changed nothing`() throws {
        let server = try LiveServer()
        for (path, body) in [
            ("/v1/queues/mail", #"{"concurrency":1}"#), ("/v1/secrets/key", #"{"text":"swordfish"}"#),
            ("/v1/hosts/a.example/limits", #"{"concurrency":1}"#),
            ("/v1/grants/mail", #"{"state":"denied"}"#),
            ("/v1/templates/t", #"{"operation":{"type":"value","value":1}}"#),
        ] {
            for status in [201, 200] {
                #expect(try server.send("PUT", path, body: body).status == status, "\(path)")
            }
        }
        let found = try changes(server)
        let kinds = found.compactMap { $0["kind"]?.string }
        #expect(kinds == ["templates", "grants", "hosts", "secrets", "queues"])
        #expect(found[2]["after"]?.string?.hasPrefix("sha256:") == true)
    }

    @Test func `names changes by their routes`() {
        let named = RouteTable.routes.filter { $0.method != .get }.map { route in
            let change = RequestContext.change(of: route)
            return "\(change.kind) \(change.action)"
        }
        for name in [
            "jobs cancel", "jobs erase", "jobs signals", "jobs operations", "queues put",
            "bulk-actions cancel", "hosts put", "hosts delete",
        ] {
            #expect(named.contains(name))
        }
    }
}
