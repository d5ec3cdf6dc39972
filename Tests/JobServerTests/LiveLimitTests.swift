import Foundation
import StrictJSON
import Testing

/// Specs written to bring the server down. It has 3 GiB of memory.
@Suite(.serialized) struct `A spec that makes too much` {
    private static let memory = 3 << 10
    private static let list = "[" + repeatElement("0", count: 900).joined(separator: ",") + "]"
    private static let letters = String(repeating: "x", count: 1_000)

    /// Runs a job of one value.
    private func expectAlive(_ server: LiveServer) throws {
        let ended = try server.rest(server.submit(#"{"type": "value", "value": 7}"#))
        #expect(ended.at("/state") == "succeeded", "\(ended.status): \(ended.body)")
    }

    /// Runs a spec, and others meanwhile.
    private func ended(_ spec: String, on server: LiveServer) throws -> LiveServer.Answer {
        let id = try server.submit(spec)
        try #require(!id.isEmpty)
        var answer = try server.get("/v1/jobs/\(id)")
        while answer.status == 200, answer.at("/done") != true {
            try expectAlive(server)
            answer = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=1"])
        }
        return answer
    }

    @Test func `is refused when its lists are literal`() throws {
        let server = try LiveProgram(memory: Self.memory)
        let answer = try server.post(
            "/v1/jobs",
            #"""
            {"type": "group", "map": {"items": \#(Self.list), "operation":
                {"type": "group", "map": {"items": \#(Self.list), "operation": {"type": "delay", "for": "1h"}}}}}
            """#)
        #expect(answer.status == 422)
        #expect(answer.at("/errors/0/code") == "spec.too_large")
        #expect(answer.at("/errors/0/pointer") == "/map")
        try expectAlive(server)
    }

    @Test(arguments: ["text", "list", "object"])
    func `fails when its values are composed of values`(form: String) throws {
        let server = try LiveProgram(memory: Self.memory)
        let steps = (1...7).map { number in
            let before = #"{"$get": "s\#(number - 1)"}"#
            let value =
                switch form {
                case "text":
                    #"{"$text": "\#(String(repeating: "{a}", count: 10))", "vars": {"a": \#(before)}}"#
                case "list": "[\(repeatElement(before, count: 10).joined(separator: ","))]"
                default: "{" + (0..<10).map { #""m\#($0)": \#(before)"# }.joined(separator: ",") + "}"
                }
            return #"{"name": "s\#(number)", "type": "value", "value": \#(value)}"#
        }
        let answer = try ended(
            #"{"type": "group", "stop_when": "first_failure", "operations": [{"name": "s0", "type": "value", "value":"#
                + #""\#(Self.letters)"}, \#(steps.joined(separator: ","))]}"#, on: server)
        #expect(answer.at("/error/code") == "value.too_large")
        try expectAlive(server)
    }

    /// As values, the results of its members have twenty times the memory of their texts: 160 MiB.
    @Test(.enabled(if: !LiveProgram.isSanitized))
    func `has its results put together as texts, one after the other`() throws {
        let server = try LiveProgram()
        let list = (0..<16_000).map { #"{"a":\#($0)}"# }.joined(separator: ",")
        let template = #"{"operation":{"type":"value","value":[\#(list)]}}"#
        #expect(try server.send("PUT", "/v1/templates/large", body: template).status == 201)
        let members = (1...40).map { #"{"template":"large","name":"m\#($0)"}"# }.joined(separator: ",")
        let memory = try server.memory {
            let ended = try server.rest(server.submit(#"{"type":"group","operations":[\#(members)]}"#))
            #expect(ended.at("/state") == "succeeded")
        }
        #expect(memory < 96)
    }
}
