import Foundation
import StrictJSON
import Testing

/// Servers that do not know the address at which others reach them.
@Suite struct `A server without an address for callback URLs` {
    private let operations = #"""
        [{"type": "network", "name": "order", "retry": {"max_attempts": 1}, "request": {"method": "POST",
            "url": "http://127.0.0.1:1/", "json": {"notify_url": {"$callback": "printed"}}}},
          {"type": "await", "name": "printed", "callback": {}}]
        """#
    private var spec: String {
        #"{"type": "group", "stop_when": "first_failure", "operations": \#(operations)}"#
    }

    @Test func `takes no schedule of a job that hands one out`() throws {
        let server = try LiveServer()
        func put(_ body: String) throws -> LiveServer.Answer {
            try server.send("PUT", "/v1/schedules/nightly", body: body)
        }
        let refused = try put(#"{"every": "1d", "job": \#(spec)}"#)
        #expect(refused.status == 422)
        #expect(refused.at("/errors/0/pointer") == "/job/operations/0/request/json/notify_url/$callback")
        #expect(refused.at("/errors/0/code") == "spec.not_available")
        let whole = try put(#"{"spec": {"every": "1d", "job": \#(spec)}}"#)
        #expect(
            whole.at("/errors/0/pointer") == "/spec/job/operations/0/request/json/notify_url/$callback")
        let template = #"{"operation": \#(spec)}"#
        #expect(try server.send("PUT", "/v1/templates/print", body: template).status == 201)
        #expect(try put(#"{"every": "1d", "template": "print"}"#).status == 422)
        #expect(try server.post("/v1/jobs", #"{"template": "print"}"#).status == 422)
        #expect(try server.get("/v1/jobs").at("/items")?.array?.isEmpty == true)
    }

    @Test func `adds no member that hands one out`() throws {
        let server = try LiveServer()
        let id = try server.submit(
            #"{"type": "group", "operations": [{"type": "await", "name": "a", "signal": "s"}]}"#)
        func add(_ member: String) throws -> LiveServer.Answer {
            try server.post("/v1/jobs/\(id)/operations", #"{"operation": \#(member)}"#)
        }
        let refused = try add(spec)
        #expect(refused.status == 422)
        let place = "/operation/operations/0/request/json/notify_url/$callback"
        #expect(refused.at("/errors/0/pointer") == .string(place))
        #expect(try add(#"{"type": "value", "value": 1}"#).status == 202)
    }

    @Test func `makes no such job of a delivery, a schedule or an earlier job`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        var server: LiveServer? = try LiveServer(LiveCallbackURLs.flags, directory: home)
        let id = try #require(try server?.submit(spec))
        #expect(try server?.rest(id).at("/state") == "failed")
        let hook = #"{"verify": {"scheme": "none"}, "job": \#(spec)}"#
        #expect(try server?.send("PUT", "/v1/hooks/print", body: hook).status == 201)
        let schedule = #"{"every": "1d", "job": \#(spec)}"#
        #expect(try server?.send("PUT", "/v1/schedules/nightly?paused=true", body: schedule).status == 201)
        server = nil
        let again = try LiveServer(directory: home)
        let refused = try again.post("/v1/jobs/\(id):requeue", "{}")
        #expect(refused.status == 422)
        #expect(refused.at("/errors/0/pointer") == "/operations/0/request/json/notify_url/$callback")
        #expect(try again.post("/hooks/print", "{}").status == 422)
        #expect(try again.post("/v1/schedules/nightly:run", "{}").status == 422)
        let bulk = try again.post("/v1/bulk-actions", #"{"action": "requeue", "ids": ["\#(id)"]}"#)
        let place = try #require(bulk.at("/id")?.string)
        var seen = try again.get("/v1/bulk-actions/\(place)")
        while seen.at("/state") == "running" {
            usleep(50_000)
            seen = try again.get("/v1/bulk-actions/\(place)")
        }
        #expect(seen.at("/by_state/skipped") == 1)
        #expect(try again.get("/v1/jobs").at("/items")?.array?.count == 1)
    }
}
