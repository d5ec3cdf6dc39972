import Foundation
import StrictJSON
import Testing

@Suite struct `Templates over HTTP` {
    private let greeting = #"""
        {"parameters": {"whom": {"type": "string", "required": true}, "times": {"type": "integer", "default": 1}},
         "operation": {"type": "value", "name": "greet",
            "value": {"text": {"$text": "Hello {n}", "vars": {"n": {"$param": "whom"}}}, "times": {"$param": "times"}}}}
        """#

    @Test func `have versions that never change, and jobs keep theirs`() throws {
        let server = try LiveServer()
        let first = try server.send("PUT", "/v1/templates/greeting", body: greeting)
        #expect(first.status == 201)
        #expect(first.at("/version") == 1)
        #expect(try server.send("PUT", "/v1/templates/greeting", body: greeting).status == 200)
        let held = try server.submit(
            #"{"template": "greeting", "params": {"whom": "Ada"}, "run_at": "1h"}"#)
        let changed = greeting.replacingOccurrences(of: "Hello", with: "Bye")
        #expect(try server.send("PUT", "/v1/templates/greeting", body: changed).at("/version") == 2)
        let read = try server.get("/v1/templates/greeting?version=1")
        #expect(read.at("/newest_version") == 2)
        #expect(read.at("/spec/operation/name") == "greet")
        let old = try server.post(
            "/v1/jobs", #"{"template": "greeting@1", "params": {"whom": "Ada"}}"#,
            headers: ["Prefer: wait=10"])
        #expect(old.at("/result/inline/text") == "Hello Ada")
        let new = try server.post(
            "/v1/jobs",
            #"{"template": "greeting", "params": {"whom": "Bob", "times": 2}, "priority": 7}"#,
            headers: ["Prefer: wait=10"])
        #expect(new.at("/result/inline/text") == "Bye Bob")
        #expect(new.at("/result/inline/times") == 2)
        #expect(new.at("/priority") == 7)
        #expect(try server.send("DELETE", "/v1/templates/greeting").status == 204)
        #expect(try server.get("/v1/templates/greeting").status == 404)
        #expect(try server.get("/v1/jobs/\(held)/spec").at("/$templates") == nil)
        let operations = try server.get("/v1/jobs/\(held)/operations").at("/items")?.array ?? []
        #expect(operations.map { $0.object?["operation"]?.string } == ["_root", "greet"])
        #expect(try server.get("/v1/templates").at("/items")?.array?.isEmpty == true)
    }

    @Test func `are not shown by plans and warnings to a token that may not read`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let file = home.appending(path: "tokens").path
        func token(_ name: String, _ more: String...) throws -> String {
            let words = ["token", "create", "--token-file", file, "--name", name]
            let made = try LiveServer.command(words + more)
            return "Authorization: Bearer " + made.output.trimmingCharacters(in: .newlines)
        }
        let ada = try token("ada")
        let drop = try token("drop", "--scope", "submit")
        let server = try LiveServer(["--token-file", file], directory: home)
        let order = #"""
            {"operation": {"type": "network", "name": "inner",
              "request": {"method": "POST", "url": "https://hidden.example/orders"}}}
            """#
        #expect(try server.send("PUT", "/v1/templates/order", headers: [ada], body: order).status == 201)
        #expect(try server.get("/v1/templates/order", headers: [drop]).status == 403)
        let wrapper = #"{"template": "order", "run_at": "1h"}"#
        let check = "/v1/jobs?validate_only=true"
        let plan = try server.post(check, wrapper, headers: [ada])
        #expect(String(decoding: plan.body, as: UTF8.self).contains("hidden.example"))
        let short = try server.post(check, wrapper, headers: [drop])
        #expect(short.status == 200)
        #expect(String(decoding: short.body, as: UTF8.self) == "{\"valid\":true}\n")
        let batches = try [ada, drop].map { try server.post("/v1/jobs:batch", "[\(wrapper)]", headers: [$0]) }
        #expect(batches.map { $0.at("/accepted") } == [1, 1])
        let texts = batches.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(texts[0].contains("warning.unsafe_retry"), "\(texts[0])")
        #expect(!texts[1].contains("warning"), "\(texts[1])")
    }

    @Test func `are refused with a pointer when something is wrong`() throws {
        let server = try LiveServer()
        _ = try server.send("PUT", "/v1/templates/greeting", body: greeting)
        func problem(_ spec: String) throws -> (JSONValue?, JSONValue?) {
            let answer = try server.post("/v1/jobs", spec)
            #expect(answer.status == 422)
            return (answer.at("/errors/0/pointer"), answer.at("/errors/0/code"))
        }
        #expect(
            try problem(#"{"template": "greting"}"#)
                == ("/template", "spec.unknown_reference"))
        #expect(
            try problem(#"{"template": "greeting"}"#) == ("/params", "spec.missing_member")
        )
        #expect(
            try problem(#"{"template": "greeting", "params": {"whom": 7}}"#)
                == ("/params/whom", "spec.wrong_type"))
        #expect(
            try problem(#"{"template": "greeting", "params": {"whom": "A", "x": 7}}"#)
                == ("/params/x", "spec.unknown_member"))
        let itself = try server.send(
            "PUT", "/v1/templates/greeting",
            body: #"{"operation": {"template": "greeting"}}"#)
        #expect(itself.status == 422)
        #expect(itself.at("/errors/0/code") == "spec.dependency_cycle")
        let unknown = try server.send(
            "PUT", "/v1/templates/other", body: #"{"operation": {"type": "value", "value": {"$param": "x"}}}"#
        )
        #expect(unknown.status == 422)
        #expect(unknown.at("/errors/0/pointer") == "/operation/value/$param")
    }
}
