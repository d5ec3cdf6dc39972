import Foundation
import StrictJSON
import Testing

/// Conditional calls.
@Suite(.serialized) struct `A live server and conditional calls` {
    @Test func `requests only changed content, across jobs and a restart`() async throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script(
            "/data",
            .json(
                200, #"{"n":1}"#, fields: ["ETag: \"v1\"", "Last-Modified: Sat, 21 Nov 2026 10:00:00 GMT"]),
            .json(304, "", fields: ["ETag: \"v1\""]), .json(200, #"{"n":2}"#, fields: ["ETag: W/\"v2\""]),
            .json(200, "{}"))
        let directory = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let spec = #"{"type":"network","request":{"url":"\#(url)","conditional":true}}"#
        var first = ""
        do {
            let server = try LiveProgram(directory: directory)
            let fresh = try server.post("/v1/jobs", spec, headers: ["Prefer: wait=10"])
            first = fresh.at("/id")?.string ?? ""
            #expect(fresh.at("/result/status") == 200)
            #expect(fresh.at("/result/unchanged") == nil)
            #expect(server.stop() == 0)
        }
        let server = try LiveProgram(directory: directory)
        let same = try server.post("/v1/jobs", spec, headers: ["Prefer: wait=10"])
        #expect(same.at("/state") == "succeeded")
        #expect(same.at("/result/unchanged") == true)
        #expect(same.at("/result/bytes") == 0)
        #expect(same.at("/result/headers/unchanged-since")?.string == first)
        let asked = upstream.calls(of: "/data")[1].text
        #expect(asked.contains("\r\nIf-None-Match: \"v1\"\r\n"))
        #expect(asked.contains("\r\nIf-Modified-Since: Sat, 21 Nov 2026 10:00:00 GMT\r\n"))
        let changed = try server.post("/v1/jobs", spec, headers: ["Prefer: wait=10"])
        #expect(changed.at("/result/inline/n") == 2)
        let other =
            #"{"type":"network","request":{"url":"\#(url)","conditional":true,"headers":{"Accept":"a/b"}}}"#
        _ = try server.post("/v1/jobs", other, headers: ["Prefer: wait=10"])
        _ = try server.post("/v1/jobs", spec, headers: ["Prefer: wait=10"])
        let calls = upstream.calls(of: "/data").map(\.text)
        try #require(calls.count == 5)
        #expect(!calls[3].contains("If-None-Match"))
        #expect(calls[4].contains("\r\nIf-None-Match: W/\"v2\"\r\n"))
    }

    @Test func `requests the whole content when the job with the content is deleted`() throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script(
            "/data", .json(200, #"{"n":1}"#, fields: ["ETag: \"v1\""]),
            .json(200, #"{"n":1}"#, fields: ["ETag: \"v1\""]), .json(304, "", fields: ["ETag: \"v1\""]))
        let server = try LiveServer()
        let spec = #"{"type":"network","request":{"url":"\#(url)","conditional":true}}"#
        let first = try server.post("/v1/jobs", spec, headers: ["Prefer: wait=10"])
        let id = try #require(first.at("/id")?.string)
        #expect(try server.send("DELETE", "/v1/jobs/\(id)").status == 204)
        let second = try server.post("/v1/jobs", spec, headers: ["Prefer: wait=10"])
        #expect(second.at("/result/inline/n") == 1)
        #expect(upstream.calls(of: "/data").last?.text.contains("If-None-Match") == false)
        let third = try server.post("/v1/jobs", spec, headers: ["Prefer: wait=10"])
        #expect(third.at("/result/unchanged") == true)
        #expect(third.at("/result/headers/unchanged-since") == second.at("/id"))
    }

    @Test(arguments: [
        (
            #"{"type":"network","request":{"url":"http://a.example/","method":"POST","conditional":true}}"#,
            "/request/conditional"
        ),
        (
            #"{"type":"network","request":{"url":"http://a.example/","conditional":true,"headers":{"If-Match":"x"}}}"#,
            "/request/headers/If-Match"
        ),
        (
            #"{"type":"poll","request":{"url":"http://a.example/","conditional":true},"follow":true}"#,
            "/request/conditional"
        ),
    ])
    func `is refused where it makes no sense`(spec: String, pointer: String) throws {
        let server = try LiveServer()
        let answer = try server.post("/v1/jobs?validate_only=true", spec)
        #expect(answer.status == 422)
        #expect(answer.at("/errors/0/pointer")?.string == pointer)
        #expect(answer.at("/errors/0/code") == "spec.conflict")
    }
}
