import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// Attempts as JSON and as an HTTP Archive, the latter judged by an independent reader.
@Suite(.serialized) struct `A live server and attempts` {
    @Test func `shows attempts of an operation and as an archive`() async throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script(
            "/pay", .status(503, fields: ["Retry-After: 0"]),
            .json(200, #"{"ok":true}"#, fields: ["Set-Cookie: s=1"]))
        let server = try LiveServer()
        let id = try server.submit(
            #"""
            {"type":"group","name":"nightly","ordered":true,"operations":[
             {"type":"network","name":"pay","request":{"method":"PUT","url":"\#(url)?api_key=abc&x=1","json":{"a":1},
               "auth":{"type":"bearer","token":"s3cret"}},
              "retry":{"backoff":"10ms","jitter":"none"}},
             {"type":"network","name":"gone","request":"http://127.0.0.1:\#(FaultServer.refusingPort())/","retry":{"max_attempts":1}}]}
            """#)
        #expect(try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=20"]).at("/state") == "failed")

        let all = try server.get("/v1/jobs/\(id)/attempts")
        #expect(all.at("/items")?.array?.count == 3)
        let first = try server.get("/v1/jobs/\(id)/attempts?operation=pay")
        #expect(first.status == 200)
        #expect(first.at("/items/0/status") == 503)
        #expect(first.at("/items/0/retried") == true)
        #expect(first.at("/items/0/delivery") == "answered")
        let last = try server.get("/v1/jobs/\(id)/attempts?operation=gone")
        #expect(last.at("/items/0/retry_stopped_by") == "attempts")
        #expect(last.at("/items/0/delivery") == "not_sent")

        let archive = try server.get(
            "/v1/jobs/\(id)/attempts", headers: ["Accept: application/har+json"])
        #expect(archive.status == 200)
        #expect(archive.field("content-type") == "application/har+json")
        let text = String(decoding: archive.body, as: UTF8.self)
        #expect(!text.contains("s3cret") && !text.contains("api_key=abc"))
        #expect(archive.at("/log/entries/0/response/status") == 503)
        #expect(archive.at("/log/entries/1/request/postData/text") == #"{"a":1}"#)
        #expect(archive.at("/log/entries/1/response/content/text") == #"{"ok":true}"#)
        #expect(archive.at("/log/entries/2/response/status") == 0)
        try checkWithReader(archive.body)
    }

    /// Reads the archive with haralyzer, a reader of HTTP Archives in Python, and checks the required members of the
    /// format.
    private func checkWithReader(_ archive: Data) throws {
        let file = LiveServer.temporaryDirectory().appending(path: "job.har")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try archive.write(to: file)
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let ended = try LiveServer.run(
            root.appending(path: ".build/venv/bin/python"),
            [root.appending(path: "Tests/Live/read-har.py").path, file.path])
        try? FileManager.default.removeItem(at: file)
        #expect(ended.code == 0, "\(ended.errors)")
        #expect(ended.output.contains("3 entries"), "\(ended.output)")
    }
}
