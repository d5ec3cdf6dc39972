import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// `{"n": "café"}` in gzip.
private let packed = Array(
    Data(base64Encoded: "H4sIAAAAAAACA6tWylOyUlBKTkw7vFKpFgBkF/2qDgAAAA==") ?? Data())

/// Answers each request with gzip: the first ones with only this many bytes of it, the others completely.
private func gzipServer(cut: Int..., etag: Bool = false, more: [UInt8] = []) -> FaultServer {
    let fields =
        "Content-Type: application/json\r\nContent-Encoding: gzip\r\n" + (etag ? "ETag: \"one\"\r\n" : "")
    return FaultServer { connection, number in
        while connection.readRequest() != nil {
            let bytes = number < cut.count ? Array(packed.prefix(cut[number])) : packed + more
            connection.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(bytes.count)\r\n\r\n")
            connection.send(bytes)
            if number < cut.count { return }
        }
    }
}

@Suite(.serialized) struct `A live server and coded content` {
    private let again = #""retry":{"max_attempts":3,"backoff":"10ms","jitter":"none"}"#

    @Test func `asks again for content that was cut off inside its coding`() throws {
        let origin = gzipServer(cut: 20, 30)
        defer { origin.stop() }
        let server = try LiveServer()
        let job = try server.post(
            "/v1/jobs", #"{"type":"network","request":"\#(origin.url("/"))",\#(again)}"#,
            headers: ["Prefer: wait=30"])
        #expect(job.at("/state") == "succeeded", "\(job.json)")
        #expect(job.at("/attempt") == 3)
        #expect(job.at("/result/inline/n") == "café")
        #expect(job.at("/result/bytes") == 14)
        let result = try server.get("/v1/jobs/\(job.at("/id")?.string ?? "")/result")
        #expect(result.field("content-encoding") == nil)
        #expect(result.body == Data(#"{"n": "café"}"#.utf8))
    }

    @Test func `does not send a POST again because its answer was cut off`() throws {
        let origin = gzipServer(cut: 20)
        defer { origin.stop() }
        let server = try LiveServer()
        let job = try server.post(
            "/v1/jobs",
            #"{"type":"network","request":{"method":"POST","url":"\#(origin.url("/"))","text":"x"},\#(again)}"#,
            headers: ["Prefer: wait=30"])
        #expect(job.at("/state") == "failed")
        #expect(job.at("/error/code") == "body.truncated")
        #expect(job.at("/error/delivery") == "answered")
        #expect(origin.requests.count == 1)
    }

    @Test func `never stores truncated content for a conditional call`() throws {
        let origin = gzipServer(cut: 20, etag: true)
        defer { origin.stop() }
        let server = try LiveServer()
        let spec =
            #"{"type":"network","request":{"url":"\#(origin.url("/"))","conditional":true},"retry":{"max_attempts":1}}"#
        let first = try server.post("/v1/jobs", spec, headers: ["Prefer: wait=30"])
        #expect(first.at("/error/code") == "body.truncated", "\(first.json)")
        let second = try server.post("/v1/jobs", spec, headers: ["Prefer: wait=30"])
        #expect(second.at("/state") == "succeeded")
        #expect(!origin.requests.contains { $0.lowercased().contains("if-none-match") })
    }

    @Test func `serves a download with the coding in which it came`() throws {
        let origin = Origin(packed, type: "application/json\r\nContent-Encoding: gzip")
        defer { origin.stop() }
        let server = try LiveServer()
        let job = try server.post(
            "/v1/jobs",
            #"{"type":"download","name":"d","request":"\#(origin.url)","save":{"artifact":"a.json"}}"#,
            headers: ["Prefer: wait=30"])
        #expect(job.at("/state") == "succeeded", "\(job.json)")
        #expect(job.at("/result/content_coding") == "gzip")
        #expect(origin.field("accept-encoding") == ["identity"])
        let id = job.at("/id")?.string ?? ""
        for path in ["/v1/jobs/\(id)/result", "/v1/jobs/\(id)/artifacts/a.json"] {
            let content = try server.send("GET", path, curl: ["--compressed"])
            #expect(content.field("content-encoding") == "gzip")
            #expect(content.field("content-type") == "application/json")
            #expect(content.at("/n") == "café")
        }
        let list = try server.get("/v1/jobs/\(id)/artifacts")
        #expect(list.at("/items/0/content_coding") == "gzip")
    }

    @Test func `passes a coded download on with its coding`() throws {
        let origin = Origin(packed, type: "application/json\r\nContent-Encoding: gzip")
        let sink = FaultServer { connection, _ in connection.answerAll("{}") }
        defer {
            origin.stop()
            sink.stop()
        }
        let server = try LiveServer()
        let job = try server.post(
            "/v1/jobs",
            #"""
            {"type":"group","operations":[{"type":"download","name":"d","request":"\#(origin.url)","save":{"artifact":"a"}},
             {"type":"network","name":"n","request":{"method":"PUT","url":"\#(sink.url("/to"))","artifact":"d"}}]}
            """#, headers: ["Prefer: wait=30"])
        #expect(job.at("/state") == "succeeded", "\(job.json)")
        let head = sink.requests.first?.lowercased() ?? ""
        #expect(head.contains("\r\ncontent-encoding: gzip\r\n"))
        #expect(head.contains("\r\ncontent-type: application/json\r\n"))
    }
}
