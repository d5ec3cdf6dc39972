import Foundation
import StrictJSON
import Testing

@Suite struct `Adding a member over HTTP` {
    @Test func `joins a waiting job and is shown, or is refused with the problem`() throws {
        let server = try LiveServer()
        let id = try server.submit(
            #"{"type": "group", "operations": [{"type": "await", "name": "go", "signal": "go"}]}"#)
        let path = "/v1/jobs/\(id)/operations"
        let added = try server.post(path, #"{"operation": {"type": "value", "value": 5}}"#)
        #expect(added.status == 202)
        #expect(added.at("/operation") == "value_2")
        let shown = try server.get(path).at("/items")?.array?.compactMap { $0.object?["operation"]?.string }
        #expect(shown == ["_root", "go", "value_2"])
        let twice = try server.post(path, #"{"operation": {"type": "value", "name": "go", "value": 5}}"#)
        #expect(twice.status == 422)
        #expect(twice.at("/errors/0/pointer") == "/operation/name")
        #expect(twice.at("/errors/0/code") == "spec.duplicate_name")
        let unknown = try server.post(path, #"{"group": "nope", "operation": {"type": "value", "value": 5}}"#)
        #expect(unknown.status == 422)
        #expect(unknown.at("/errors/0/pointer") == "/group")
        // A look at each of its beginnings would take minutes.
        let names = String(repeating: "a/", count: 50_000)
        let deep = try server.post(
            path, #"{"group": "\#(names)a", "operation": {"type": "value", "value": 5}}"#)
        #expect(deep.status == 422)
        #expect(deep.at("/errors/0/pointer") == "/group")
        #expect(try server.post(path, #"{"member": 1}"#).status == 400)
        let next = try server.post(
            path, #"{"operation": {"type": "value", "name": "sum", "value": {"$get": "value_2"}}}"#)
        #expect(next.status == 202)
        #expect(try server.post("/v1/jobs/\(id)/signals/go").status == 202)
        let done = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=10"])
        #expect(done.at("/state") == "succeeded")
        #expect(done.at("/result/inline/sum") == 5)
        let late = try server.post(path, #"{"operation": {"type": "value", "value": 5}}"#)
        #expect(late.status == 409)
        #expect(late.at("/code") == "group.closed")
        let types = try server.get("/v1/jobs/\(id)/events").at("/items")?.array?.compactMap {
            $0.object?["type"]?.string
        }
        #expect(types?.contains("operation_added") == true)
    }

    @Test func `gives members names that nothing else in the group has`() throws {
        let server = try LiveServer()
        let delay = #"{"type": "delay", "for": "1ms"}"#
        let id = try server.submit(
            #"""
            {"type": "group", "operations": [\#(delay), {"type": "await", "name": "go", "signal": "go"}],
             "finally": [\#(delay), {"type": "delay", "name": "delay_3", "for": "1ms"}, \#(delay)]}
            """#)
        let path = "/v1/jobs/\(id)/operations"
        for name in ["delay_5", "delay_6"] {
            #expect(try server.post(path, #"{"operation": \#(delay)}"#).at("/operation")?.string == name)
        }
        let clash = try server.post(
            path, #"{"operation": {"type": "delay", "name": "delay_3", "for": "1s"}}"#)
        #expect(clash.at("/errors/0/pointer") == "/operation/name")
        #expect(try server.post("/v1/jobs/\(id)/signals/go").status == 202)
        #expect(try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=10"]).at("/state") == "succeeded")
        let names = try server.get(path).at("/items")?.array?.compactMap { $0.object?["operation"]?.string }
        #expect(
            Set(names ?? []) == [
                "_root", "go", "delay_1", "delay_2", "delay_3", "delay_4", "delay_5", "delay_6",
            ])
    }
}
