import Foundation
import StrictJSON
import Testing

/// Bytes of a text without a period.
private func text(_ count: Int, seed: Int = 1) -> [UInt8] {
    (0..<count).map { UInt8(0x61 + (($0 &* 31 &+ seed) ^ ($0 >> 7)) % 26) }
}

/// The SHA-256 of `bytes`, by sha256sum.
private func sha256(_ bytes: [UInt8]) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "sum-\(UUID().uuidString)")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let ended = try LiveServer.run(URL(filePath: "/usr/bin/sha256sum"), [file.path])
    return String(ended.output.prefix(64))
}

extension LiveServer {
    /// Runs a job to its end and returns it.
    fileprivate func run(_ spec: String) throws -> Answer {
        try post("/v1/jobs", spec, headers: ["Prefer: wait=30"])
    }

    /// The bytes of a job's result.
    fileprivate func result(_ job: Answer, headers: [String] = []) throws -> Answer {
        try get("/v1/jobs/\(job.at("/id")?.string ?? "")/result", headers: headers)
    }
}

@Suite(.serialized) struct `A live download` {
    private static let content = text(600_000)

    private func spec(_ origin: Origin, _ more: String = "") -> String {
        #"""
        {"type": "download", "request": "\#(origin.url)", "save": {"artifact": "data.txt"}, "name": "fetch",
         "retry": {"max_attempts": 8, "backoff": "50ms", "jitter": "none"}\#(more)}
        """#
    }

    @Test func `resumes where the connection broke, and ends with the right content`() throws {
        let origin = Origin(Self.content, [.cut(after: 200_000), .cut(after: 150_000), .status("503 Busy")])
        let server = try LiveServer()
        let job = try server.run(spec(origin, #", "verify": {"sha256": "\#(try sha256(Self.content))"}"#))
        #expect(job.at("/state") == "succeeded", "\(job.json)")
        #expect(job.at("/result/artifact/name") == "data.txt")
        #expect(job.at("/result/bytes") == 600_000)
        #expect(job.at("/result/status") == 200)
        #expect(try job.at("/result/digest")?.string == "sha256:" + sha256(Self.content))
        #expect(try server.result(job).body == Data(Self.content))
        #expect(
            origin.field("range") == [nil, "bytes=200000-", "bytes=350000-", "bytes=350000-"])
        #expect(origin.field("if-range") == [nil, "\"one\"", "\"one\"", "\"one\""])
    }

    @Test func `reports redacted secrets, also across attempts`() throws {
        let secret = String(decoding: Self.content[100_000..<100_040], as: UTF8.self)
        let server = try LiveServer()
        #expect(try server.send("PUT", "/v1/secrets/part", body: #"{"text": "\#(secret)"}"#).status < 300)
        let kept = try server.run(spec(Origin(Self.content, [.cut(after: 200_000)])))
        #expect(kept.at("/state") == "succeeded", "\(kept.json)")
        #expect(kept.at("/result/bytes") == 600_000)
        #expect(kept.at("/result/headers/secrets-hidden") == "***")
        let digest = try sha256(Self.content)
        let origin = Origin(Self.content, [.cut(after: 200_000)])
        let checked = try server.run(spec(origin, #", "verify": {"sha256": "\#(digest)"}"#))
        #expect(checked.at("/error/code") == "download.digest", "\(checked.json)")
        #expect(checked.at("/error/detail")?.string?.contains("value of a stored secret") == true)
        #expect(checked.at("/attempt") == 2, "it is not tried again for that")
    }

    @Test func `restarts when the content changed in between`() throws {
        let other = text(500_000, seed: 5)
        let origin = Origin(
            Self.content, [.cutAndChange(after: 200_000, to: other, tag: "\"two\""), .status("503 Busy")])
        let server = try LiveServer()
        let job = try server.run(spec(origin))
        #expect(job.at("/state") == "succeeded", "\(job.json)")
        #expect(try server.result(job).body == Data(other))
        #expect(origin.field("if-range") == [nil, "\"one\"", "\"one\""])
    }

    @Test(arguments: [
        "bytes 0-399999/600000", "bytes 200000-599999/600001", "bytes 200001-600000/600001", "items 1-2/3",
    ])
    func `accepts no range but the requested one`(claim: String) throws {
        let origin = Origin(Self.content, [.cut(after: 200_000), .claim(claim)])
        let server = try LiveServer()
        let job = try server.run(spec(origin))
        #expect(job.at("/state") == "succeeded", "\(job.json)")
        #expect(try server.result(job).body == Data(Self.content))
        // Wrong content is discarded, and everything fetched again in the same attempt.
        #expect(origin.field("range") == [nil, "bytes=200000-", nil])
        #expect(job.at("/attempt") == 2)
    }

    @Test func `restarts when its file is gone`() throws {
        let other = text(100_000)
        let origin = Origin(Self.content, [.cutAndChange(after: 200_000, to: other, tag: "\"one\"")])
        let server = try LiveServer()
        let job = try server.run(spec(origin))
        #expect(job.at("/state") == "succeeded", "\(job.json)")
        #expect(try server.result(job).body == Data(other))
        #expect(origin.field("range") == [nil, "bytes=200000-", nil])
    }

    @Test func `requests no range without a validator, or with resume off`() throws {
        for (tag, more) in [("W/\"weak\"", ""), (nil, ""), ("\"one\"", #", "resume": false"#)] {
            let origin = Origin(Self.content, tag: tag, [.cut(after: 200_000)])
            let server = try LiveServer()
            let job = try server.run(spec(origin, more))
            #expect(job.at("/state") == "succeeded", "\(job.json)")
            #expect(try server.result(job).body == Data(Self.content))
            #expect(origin.field("range") == [nil, nil])
        }
    }

    @Test func `has another ETag when it has got farther`() throws {
        let origin = Origin(Self.content, [.hang(after: 400_000)])
        let server = try LiveServer()
        let id = try server.submit(spec(origin))
        let deadline = Date().addingTimeInterval(20)
        var job = try server.get("/v1/jobs/\(id)")
        while job.at("/progress/done") != 400_000 || job.at("/attempt") != 1, Date() < deadline {
            job = try server.get("/v1/jobs/\(id)")
        }
        let full = try server.get("/v1/jobs/\(id)?view=full")
        #expect(full.at("/progress/done") == 400_000)
        #expect(full.at("/effective") != nil)
        let revision = job.at("/revision")?.number?.int ?? 0
        #expect(job.field("etag") == "\"r\(revision).400000\"")
        func status(_ tag: String, _ others: String...) throws -> Int {
            try server.get("/v1/jobs/\(id)", headers: ["If-None-Match: \(tag)"] + others).status
        }
        #expect(try status("\"r\(revision).400000\"") == 304)
        #expect(try status("\"r\(revision)\"") == 200)
        // A long poll is not answered for progress alone.
        #expect(try status("\"r\(revision).400000\"", "Prefer: wait=1") == 304)
        let before = Date()
        #expect(try status("\"r\(revision).1\"", "Prefer: wait=1") == 200)
        #expect(Date().timeIntervalSince(before) >= 1)
        origin.goOn()
    }

    @Test func `resumes after the server was killed`() throws {
        let origin = Origin(Self.content, [.hang(after: 400_000)])
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        var id = ""
        do {
            let server = try LiveProgram(directory: home)
            id = try server.submit(spec(origin))
            // The synced length is recorded every two seconds, the attempt a moment after its start.
            var (done, begun): (Int?, Int?)
            let deadline = Date().addingTimeInterval(20)
            while done != 400_000 || begun != 1, Date() < deadline {
                usleep(50_000)
                done = try server.get("/v1/jobs/\(id)").at("/progress/done")?.number?.int
                begun = try server.get("/v1/jobs/\(id)/attempts").at("/items")?.array?.count
            }
            #expect(done == 400_000 && begun == 1)
            let job = try server.get("/v1/jobs/\(id)")
            #expect(job.at("/progress/total") == 600_000)
            #expect(job.at("/progress/percent") == 66)
            #expect(job.at("/progress/unit") == "bytes")
            _ = server.stop(SIGKILL)
        }
        origin.goOn()
        let server = try LiveProgram(directory: home)
        let job = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=30"])
        #expect(job.at("/state") == "succeeded", "\(job.json)")
        #expect(try server.result(job).body == Data(Self.content))
        #expect(job.at("/progress") == nil)
        let attempts = try server.get("/v1/jobs/\(id)/attempts").at("/items")?.array ?? []
        #expect(attempts.first?.object?["state"] == "interrupted", "\(attempts)")
    }

    @Test func `reports content that violates the expectations`() throws {
        let origin = Origin(Self.content, type: "text/html; charset=utf-8")
        let server = try LiveServer()
        let wrong = String(repeating: "0", count: 64)
        let cases = [
            (#", "verify": {"sha256": "\#(wrong)"}, "retry": {"max_attempts": 1}"#, "download.digest"),
            (#", "verify": {"size": 600001}, "retry": {"max_attempts": 1}"#, "download.size"),
            (
                #", "verify": {"content_type": "text/plain"}, "retry": {"max_attempts": 1}"#,
                "expect.content_type"
            ),
            (
                #", "expect": {"that": {"at": "/bytes", "less": 1000}}, "retry": {"max_attempts": 1}"#,
                "expect.that"
            ),
        ]
        for (more, code) in cases {
            let job = try server.run(#"{"type": "download", "request": "\#(origin.url)"\#(more)}"#)
            #expect(job.at("/error/code")?.string == code, "\(job.json)")
        }
        let large = try server.run(
            #"{"type": "download", "request": "\#(origin.url)", "save": {"max_bytes": 599999}}"#)
        #expect(large.at("/error/code") == "body.too_large")
        let missing = Origin(Self.content, [.status("404 Not Found")])
        let job = try server.run(#"{"type": "download", "request": "\#(missing.url)"}"#)
        #expect(job.at("/error/code") == "http.status")
        #expect(job.at("/error/upstream/body_excerpt") == "no")
        // None of this content is kept.
        let left = FileManager.default.subpaths(atPath: server.directory.path + "/data/artifacts") ?? []
        #expect(left.filter { $0.utf8.count == 65 } == [])
    }

    @Test func `resumes when a person requests another try`() throws {
        let origin = Origin(Self.content, [.cut(after: 250_000)])
        let server = try LiveServer()
        let failed = try server.run(
            #"{"type": "download", "request": "\#(origin.url)", "retry": {"max_attempts": 1}}"#)
        #expect(failed.at("/error/code") == "body.truncated")
        let id = try #require(failed.at("/id")?.string)
        _ = try server.post("/v1/jobs/\(id):retry")
        let job = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=20"])
        #expect(job.at("/state") == "succeeded", "\(job.json)")
        #expect(origin.field("range") == [nil, "bytes=250000-"])
        #expect(try server.result(job).body == Data(Self.content))
    }
}

@Suite(.serialized) struct `A live result that is large` {
    private static let content = text(700_000)

    @Test func `is read whole, in parts, and only once`() throws {
        let origin = Origin(Self.content)
        let server = try LiveServer()
        let job = try server.run(#"{"type": "network", "request": "\#(origin.url)"}"#)
        #expect(job.at("/state") == "succeeded", "\(job.json)")
        #expect(job.at("/result/bytes") == 700_000)
        #expect(job.at("/result/artifact/name") == "network")
        #expect(job.at("/result/inline") == nil)
        let whole = try server.result(job)
        let digest = try sha256(Self.content)
        #expect(whole.body == Data(Self.content))
        #expect(whole.field("etag") == "\"sha256-\(digest)\"")
        #expect(whole.field("content-digest")?.hasPrefix("sha-256=:") == true)
        #expect(whole.field("content-digest") == whole.field("repr-digest"))
        #expect(whole.field("accept-ranges") == "bytes")
        #expect(whole.field("content-type") == "text/plain")
        #expect(whole.field("content-length") == "700000")

        let part = try server.result(job, headers: ["Range: bytes=1000-1999"])
        #expect(part.status == 206)
        #expect(part.field("content-range") == "bytes 1000-1999/700000")
        #expect(part.body == Data(Self.content[1_000..<2_000]))
        #expect(part.field("content-digest") == nil)
        #expect(part.field("repr-digest") == whole.field("repr-digest"))
        let end = try server.result(job, headers: ["Range: bytes=-5"])
        #expect(end.body == Data(Self.content.suffix(5)))

        let tag = whole.field("etag") ?? ""
        let same = try server.result(job, headers: ["Range: bytes=699999-", "If-Range: \(tag)"])
        #expect(same.status == 206)
        let other = try server.result(job, headers: ["Range: bytes=0-1", "If-Range: \"other\""])
        #expect(other.status == 200)
        let more = ["Range: bytes=1-"]
        #expect(try server.result(job, headers: more + ["If-Match: \(tag)"]).status == 206)
        #expect(try server.result(job, headers: more + ["If-Match: \"other\""]).status == 412)
        let behind = try server.result(job, headers: ["Range: bytes=700000-"])
        #expect(behind.status == 416)
        #expect(behind.field("content-range") == "bytes */700000")
        #expect(behind.at("/code") == "range.not_satisfiable")
        #expect(try server.result(job, headers: ["If-None-Match: \(tag)"]).status == 304)
        let id = try #require(job.at("/id")?.string)
        // Only a GET asks for a range (RFC 9110 §14.2).
        let head = try server.send("HEAD", "/v1/jobs/\(id)/result", headers: ["Range: bytes=0-0"])
        #expect(head.status == 200)
        #expect(head.field("content-length") == "700000")
        #expect(head.body.isEmpty)
    }

    @Test func `is listed with its name, and deleted with the job`() throws {
        let origin = Origin(Self.content)
        let server = try LiveServer()
        let job = try server.run(
            #"""
            {"type": "group", "name": "both", "operations": [
              {"type": "network", "name": "large", "request": "\#(origin.url)", "save": {"artifact": "page.txt"}},
              {"type": "value", "name": "after", "after": ["large"], "value": {"$get": "large", "at": "/artifact/bytes"}}]}
            """#)
        #expect(job.at("/state") == "succeeded", "\(job.json)")
        #expect(job.at("/result/inline/after") == 700_000)
        #expect(job.at("/result/inline/large/artifact/bytes") == 700_000)
        let id = try #require(job.at("/id")?.string)
        let list = try server.get("/v1/jobs/\(id)/artifacts")
        #expect(list.at("/items/0/name") == "page.txt")
        #expect(list.at("/items/0/operation") == "large")
        #expect(list.at("/items/0/bytes") == 700_000)
        #expect(list.at("/items/1") == nil)
        let path = try #require(list.at("/items/0/links/content")?.string)
        #expect(try server.get(path).body == Data(Self.content))
        let none = try server.get("/v1/jobs/\(id)/artifacts/other.txt")
        #expect(none.status == 404)
        #expect(none.at("/code") == "artifact.not_found")
        #expect(try server.send("DELETE", "/v1/jobs/\(id)").status == 204)
        let files = server.directory.path + "/data/artifacts"
        let deadline = Date().addingTimeInterval(5)
        func left() -> [String] {
            (FileManager.default.subpaths(atPath: files) ?? []).filter { $0.utf8.count > 20 }
        }
        while !left().isEmpty, Date() < deadline { usleep(20_000) }
        #expect(left() == [])
    }

    @Test func `can be looked into up to a size`() throws {
        let rows = (0..<30_000).map { #"{"id": \#($0), "name": "row number \#($0)"}"# }
        let json = Array(#"{"state": "done", "rows": [\#(rows.joined(separator: ", "))]}"#.utf8)
        #expect(json.count > 1 << 20)
        let origin = Origin(json, type: "application/json")
        let server = try LiveServer()
        let job = try server.run(
            #"""
            {"type": "group", "name": "both", "operations": [
              {"type": "network", "name": "large", "request": "\#(origin.url)",
               "expect": {"that": {"at": "/body/state", "equals": "done"}}},
              {"type": "value", "name": "row", "value": {"$get": "large", "at": "/body/rows/29999/name"}}]}
            """#)
        #expect(job.at("/result/inline/row") == "row number 29999", "\(job.json)")
        let huge = Origin(text(9 << 20))
        let refused = try server.run(
            #"""
            {"type": "network", "request": "\#(huge.url)", "expect": {"that": {"at": "/body", "contains": "a"}}}
            """#)
        #expect(refused.at("/error/code") == "reference.too_large", "\(refused.json)")
    }

    @Test func `has a digest even when it is small`() throws {
        let origin = Origin(Array("hello".utf8))
        let server = try LiveServer()
        let job = try server.run(#"{"type": "network", "request": "\#(origin.url)"}"#)
        #expect(
            job.at("/result/digest")
                == "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
        let result = try server.result(job)
        #expect(result.field("content-digest") == "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:")
        #expect(try server.result(job, headers: ["Range: bytes=1-3"]).body == Data("ell".utf8))
    }

    @Test func `is refused when it is larger than allowed`() throws {
        let origin = Origin(Self.content)
        let server = try LiveServer()
        let job = try server.run(
            #"{"type": "network", "request": "\#(origin.url)", "save": {"max_bytes": 500000}}"#)
        #expect(job.at("/error/code") == "body.too_large")
        #expect(job.at("/error/upstream/status") == 200)
    }
}
