import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// Secrets over HTTP.
@Suite struct `A live secret` {
    private let value = "s3cr3t-äß\"/ value"

    private func put(_ server: LiveServer, _ name: String, _ body: String) throws -> LiveServer.Answer {
        try server.send("PUT", "/v1/secrets/\(name)", body: body)
    }

    private func body(_ value: String) -> String {
        String(decoding: JSONValue.object(JSONObject([("text", .string(value))])).encoded(), as: UTF8.self)
    }

    @Test func `can be stored and replaced, and shows everything but its value`() throws {
        let server = try LiveServer()
        #expect(try server.get("/v1/secrets").at("/items") == [])
        #expect(try server.get("/v1/secrets/crm").at("/code") == "secret.not_found")
        let first = try put(server, "crm", body(value))
        #expect(first.status == 201)
        #expect(first.at("/version") == 1)
        #expect(first.at("/kind") == "text")
        #expect(first.at("/spec/fingerprint")?.string?.utf8.count == 32)
        let same = try put(server, "crm", body(value))
        #expect(same.status == 200)
        #expect(same.at("/version") == 1)
        #expect(same.at("/spec/fingerprint") == first.at("/spec/fingerprint"))
        let other = try put(server, "crm", #"{"base64": "AAEC/w=="}"#)
        #expect(other.at("/kind") == "bytes")
        #expect(other.at("/spec/fingerprint")?.string?.utf8.count == 32)
        #expect(other.at("/spec/fingerprint") != first.at("/spec/fingerprint"))
        #expect(try server.get("/v1/secrets/crm").at("/version") == 2)
        #expect(try server.get("/v1/secrets").at("/items/0/name") == "crm")
        #expect(try server.send("DELETE", "/v1/secrets/crm").status == 204)
        #expect(try server.send("DELETE", "/v1/secrets/crm").status == 404)
    }

    @Test(arguments: [
        ("crm", #"{}"#), ("crm", #"{"text": ""}"#), ("crm", #"{"text": "a", "base64": "AAAA"}"#),
        ("crm", #"{"base64": "?"}"#), ("crm", #"{"txt": "a"}"#), ("crm", #"{"text": 7}"#),
    ])
    func `explains a bad body`(name: String, body: String) throws {
        let server = try LiveServer()
        #expect(try put(server, name, body).status == 400)
        #expect(try server.get("/v1/secrets/\(name)").status == 404)
        #expect(try put(server, "Not-A-Name", #"{"text": "abcd"}"#).status == 404)
    }

    @Test func `goes out with requests, and comes back as stars`() throws {
        let upstream = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                let line = request.split(separator: "\r\n").first ?? ""
                connection.answer(request, fields: "X-Echo: \(line)\r\n")
            }
        }
        defer { upstream.stop() }
        let server = try LiveServer()
        _ = try put(server, "crm", body("s3cr3t value"))
        let job = try server.post(
            "/v1/jobs",
            #"""
            {"type": "network", "request": {"method": "POST", "url": "\#(upstream.url("/{id}"))",
              "vars": {"id": {"$secret": "crm"}}, "headers": {"X-Key": {"$secret": "crm"}},
              "auth": {"type": "basic", "username": "ada", "password": {"$secret": "crm"}},
              "json": {"key": {"$text": "<{k}>", "vars": {"k": {"$secret": "crm"}}}}}}
            """#, headers: ["Prefer: wait=20"])
        let sent = try #require(upstream.requests.first)
        #expect(sent.contains("POST /s3cr3t%20value HTTP/1.1"))
        #expect(sent.contains("X-Key: s3cr3t value\r\n"))
        #expect(sent.contains(#"{"key":"<s3cr3t value>"}"#))
        #expect(sent.contains("Basic " + Data("ada:s3cr3t value".utf8).base64EncodedString()))
        #expect(job.at("/state") == "succeeded")
        let id = try #require(job.at("/id")?.string)
        let result = String(decoding: try server.get("/v1/jobs/\(id)/result").body, as: UTF8.self)
        #expect(result.contains("X-Key: ***\r\n"))
        #expect(result.contains("POST /*** HTTP/1.1"))
        #expect(result.contains(#"{"key":"<***>"}"#))
        let everything = try ["", "/result", "/spec", "/operations", "/attempts", "/events"].map {
            String(decoding: try server.get("/v1/jobs/\(id)\($0)").body, as: UTF8.self)
        }.joined()
        #expect(!everything.contains("s3cr3t"))
        #expect(!everything.contains(Data("s3cr3t value".utf8).base64EncodedString().prefix(14)))
        #expect(try server.get("/v1/jobs/\(id)/spec").at("/request/headers/X-Key/$secret") == "crm")
    }

    @Test func `that is missing fails the call before anything is sent`() throws {
        let upstream = FaultServer { connection, _ in
            while connection.readRequest() != nil { connection.answer("{}") }
        }
        defer { upstream.stop() }
        let server = try LiveServer()
        let job = try server.post(
            "/v1/jobs",
            #"{"type": "network", "request": {"url": "\#(upstream.url())", "headers": {"X": {"$secret": "gone"}}}}"#,
            headers: ["Prefer: wait=20"])
        #expect(job.at("/state") == "failed")
        #expect(job.at("/error/code") == "auth.secret_missing")
        #expect(job.at("/error/delivery") == "not_sent")
        #expect(upstream.requests.isEmpty)
    }

    @Test(arguments: [
        (#"{"type": "value", "value": {"a": {"$secret": "crm"}}}"#, "/value/a/$secret"),
        (
            #"{"type": "network", "request": "http://a.example", "expect": {"that": {"at": "/body", "equals": {"$secret": "crm"}}}}"#,
            "/expect"
        ),
        (
            #"{"type": "network", "request": {"url": "http://a.example", "headers": {"A": {"$secret": "Bad Name"}}}}"#,
            "/request/headers/A/$secret"
        ),
    ])
    func `is refused where it would be stored`(spec: String, pointer: String) throws {
        let server = try LiveServer()
        let answer = try server.post("/v1/jobs", spec)
        #expect(answer.status == 422)
        #expect(answer.at("/errors/0/pointer")?.string?.hasPrefix(pointer) == true)
    }

    @Test func `is encrypted on the disk, and needs its key after a restart`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        var server: LiveProgram? = try LiveProgram(directory: home)
        _ = try server.map { try put($0, "crm", body("findable-on-disk")) }
        let shown = try server?.get("/v1/secrets/crm").body
        let key = home.appending(path: "data/secret.key")
        let mode = try FileManager.default.attributesOfItem(atPath: key.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let data = key.deletingLastPathComponent()
        let files = FileManager.default.subpaths(atPath: data.path)?.map { data.appending(path: $0) } ?? []
        #expect(files.count > 2)
        for file in files {
            // A folder has no content.
            guard let content = try? Data(contentsOf: file) else { continue }
            #expect(content.range(of: Data("findable-on-disk".utf8)) == nil, "\(file.lastPathComponent)")
        }
        #expect(server?.stop() == 0)
        server = try LiveProgram(directory: home)
        #expect(try server?.get("/v1/secrets/crm").body == shown)
        #expect(server?.stop() == 0)

        let kept = try Data(contentsOf: key)
        try Data((String(repeating: "ab", count: 32) + "\n").utf8).write(to: key)
        #expect { try LiveProgram(directory: home) } throws: { "\($0)".contains("cannot be opened") }
        try FileManager.default.removeItem(at: key)
        #expect { try LiveProgram(directory: home) } throws: { "\($0)".contains("no secret key file") }
        let elsewhere = home.appending(path: "elsewhere")
        try kept.write(to: elsewhere)
        server = try LiveProgram(["--secret-key-file", elsewhere.path], directory: home)
        #expect(try server?.get("/v1/secrets/crm").body == shown)
        _ = server?.stop()
    }

    @Test func `is stored by tokens with the scope admin only`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let file = home.appending(path: "tokens").path
        func token(_ words: String...) throws -> String {
            let made = try LiveServer.command(["token", "create", "--token-file", file, "--name"] + words)
            return "Authorization: Bearer " + made.output.trimmingCharacters(in: .newlines)
        }
        let all = try token("all")
        let author = try token("author", "--scope", "read", "--scope", "write")
        let server = try LiveProgram(["--token-file", file], directory: home)
        let text = #"{"text": "abcdef"}"#
        let refused = try server.send("PUT", "/v1/secrets/crm", headers: [author], body: text)
        #expect(refused.status == 403)
        #expect(
            try server.send("PUT", "/v1/secrets/crm", headers: [all], body: text).at("/updated_by") == "all")
        #expect(try server.get("/v1/secrets/crm", headers: [author]).status == 200)
        #expect(try server.send("DELETE", "/v1/secrets/crm", headers: [author]).status == 403)
        _ = server.stop()
    }
}
