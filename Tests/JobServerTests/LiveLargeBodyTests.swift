import Foundation
import StrictJSON
import Testing

/// Requests whose bodies are read beside the loops.
@Suite struct `A large body` {
    private let text = String(repeating: "x", count: 80 << 10)

    private func end(of id: String, _ server: LiveServer) throws -> String? {
        try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=10"]).at("/state")?.string
    }

    @Test func `is served like a small one, whatever the request reads before and after its write`() throws {
        let server = try LiveProgram()
        let file = LiveServer.temporaryDirectory().appending(path: "body.json")
        func send(_ method: String, _ path: String, _ body: String) throws -> LiveServer.Answer {
            try Data(body.utf8).write(to: file)
            let curl = ["--data-binary", "@\(file.path)", "-H", "Content-Type: application/json"]
            return try server.send(method, path, curl: curl)
        }
        let value = #"{"type":"value","value":"\#(text)"}"#
        let template = #"{"operation":\#(value)}"#
        #expect(try send("PUT", "/v1/templates/long", template).status == 201)
        #expect(try send("PUT", "/v1/templates/long", template).status == 200)

        let single = try send("POST", "/v1/jobs", value)
        #expect(single.status == 202)
        let use = #"{"template":"long"}"#
        let batch = try send("POST", "/v1/jobs:batch", "[\(value),\(use)]")
        #expect(batch.at("/accepted") == 2)
        for id in [single.at("/id"), batch.at("/items/0/job/id"), batch.at("/items/1/job/id")] {
            let id = try #require(id?.string)
            #expect(try end(of: id, server) == "succeeded")
            #expect(try server.get("/v1/jobs/\(id)/result").body.count == text.utf8.count + 2)
        }

        let waiting = try server.submit(#"{"type":"await","signal":"go"}"#)
        let signal = #"{"text":"\#(text)"}"#
        #expect(try send("POST", "/v1/jobs/\(waiting)/signals/go", signal).status < 300)
        #expect(try end(of: waiting, server) == "succeeded")
        #expect(try send("POST", "/v1/jobs", #"{"type":"value","valu":"\#(text)"}"#).status == 422)
        #expect(server.stop() == 0)
    }

    @Test func `leaves the loop to others, too, while the full view of its job is made`() throws {
        let server = try LiveServer(["--http-loops", "1"])
        let names = (1...20_000).map { "a\($0)" }
        let pattern = names.map { "{\($0)}" }.joined()
        let vars = names.map { #""\#($0)":"x""# }.joined(separator: ",")
        let spec = #"{"type":"value","value":{"$text":"\#(pattern)","vars":{\#(vars)}},"run_at":"1h"}"#
        let id = try server.submit(spec)
        let port = try #require(Int(server.url.split(separator: ":").last ?? ""))
        let connection = try #require(PlainConnection(port: port))
        connection.send(Array("GET /v1/jobs/\(id)?view=full HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8))
        // Behind the first answer that request has begun.
        for _ in 1...2 { #expect(try server.get("/healthz").status == 200) }
        #expect(!connection.hasAnswer)
        let full = connection.readAnswer(isHead: false)
        #expect(full.at("/id")?.string == id)
        #expect(full.at("/effective")?.object != nil)
    }
}
