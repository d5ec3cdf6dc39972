import FaultyHTTP
import Foundation
import JobKit
@testable import JobServer
import OpenSSLCrypto
import StrictJSON
import Testing

/// The approved, signed, recorded, exported and sent target of a call.
@Suite(.serialized) struct `The target of a live call` {
    private static let written = [
        "/a/../b/./c", "/a/%2e%2e/b", "/x|y^z`?q=|^`&r=../s", "/?", "?q=1", "//a//..", "/{{id}}/x?y={{id}}",
    ]

    /// A job with one call that a person must approve, to `target` at the server with its name in capitals.
    private func spec(_ target: String, _ peer: FaultServer, _ auth: String) -> String {
        let target = target.replacing("{{id}}", with: "{id}")
        return #"""
            {"type": "network", "name": "call", "conditions": [{"type": "approval", "prompt": "Call?"}],
             "request": {"method": "DELETE", "url": "HTTP://LOCALHOST:\#(peer.port)\#(target)", \#(auth),
               "vars": {"id": "a|.b/c d"}}}
            """#
    }

    /// Runs it with an approval; gives the approved URL and the job.
    private func run(_ server: LiveServer, _ spec: String) throws -> (approved: String, job: String) {
        let job = try server.submit(spec)
        try server.rest(job)
        let list = try server.get("/v1/approvals?state=open&job_id=\(job)")
        let path = "/v1/approvals/" + (list.at("/items/0/id")?.string ?? "none")
        let approved = try server.get(path).at("/request/url")?.string ?? "none"
        #expect(try server.post(path + ":approve").status == 200)
        let ended = try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=20"])
        #expect(ended.at("/state") == "succeeded", "\(String(decoding: ended.body, as: UTF8.self))")
        return (approved, job)
    }

    private func field(_ name: String, _ request: String) -> String? {
        request.components(separatedBy: "\r\n").first { $0.hasPrefix(name + ": ") }.map {
            String($0.dropFirst(name.count + 2))
        }
    }

    @Test(arguments: [
        #""auth": {"type": "hmac", "key": "k", "signed": ["method", "host", "target"]}"#,
        #""auth": {"type": "aws_sigv4", "access_key": "a", "secret_key": "b", "region": "r", "service": "s3"}"#,
        #""auth": {"type": "aws_sigv4", "access_key": "a", "secret_key": "b", "region": "r", "service": "x"}"#,
    ])
    func `is the same everywhere`(auth: String) throws {
        let server = try LiveServer()
        for target in Self.written {
            let peer = FaultServer { connection, _ in connection.answerAll("{}") }
            defer { peer.stop() }
            let (approved, job) = try run(server, spec(target, peer, auth))
            let sent = try #require(peer.requests.first)
            let words = sent.prefix { $0 != "\r\n" }.split(separator: " ")
            let host = try #require(field("Host", sent))
            let url = "http://\(host)\(words[1])"
            #expect(approved == url)
            let archive = try server.get(
                "/v1/jobs/\(job)/attempts", headers: ["Accept: application/har+json"])
            #expect(archive.at("/log/entries/0/request/url")?.string == url)
            let script = try server.get("/v1/jobs/\(job)/spec", headers: ["Accept: text/x-shellscript"])
            let line = String(decoding: script.body, as: UTF8.self)
            let ended = try LiveServer.run(
                URL(filePath: "/bin/bash"), ["-c", line.replacing("curl ", with: "curl -s -o /dev/null ")])
            #expect(ended.code == 0, "\(line)\n\(ended.errors)")
            #expect(peer.requests.last?.hasPrefix("\(words[0]) \(words[1]) ") == true, "\(line)")
            if auth.contains("hmac") {
                let message = Array("DELETE\n\(host)\n\(words[1])".utf8)
                let digest = HexText.encode(HMACSHA256.digest(of: message, key: Array("k".utf8)))
                #expect(field("X-Signature", sent) == "sha256=\(digest)")
            } else {
                #expect(field("Authorization", sent)?.contains("SignedHeaders=") == true)
            }
        }
    }

    @Test(arguments: ["..", "%2E%2e", "../admin"])
    func `is refused when a result would lead it elsewhere`(value: String) throws {
        let peer = FaultServer { connection, _ in connection.answerAll("{}") }
        defer { peer.stop() }
        let server = try LiveServer()
        let job = try server.submit(
            #"""
            {"type": "group", "operations": [{"type": "value", "name": "a", "value": "\#(value)"},
              {"type": "network", "name": "b", "request": {"method": "DELETE",
                "url": "\#(peer.url(""))/users/{id}/sessions", "vars": {"id": {"$get": "a", "at": "/body"}}}}]}
            """#)
        let ended = try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=20"])
        #expect(ended.at("/state") == "failed")
        #expect(
            ended.at("/error/code") == "template.invalid", "\(String(decoding: ended.body, as: UTF8.self))")
        #expect(peer.requests.isEmpty)
    }

    @Test func `is refused for list elements that would change it`() throws {
        let peer = FaultServer { connection, _ in connection.answerAll("{}") }
        defer { peer.stop() }
        let server = try LiveServer()
        let job = try server.submit(
            #"""
            {"type": "group", "succeed_when": {"max_failed_percent": 99}, "map":
              {"items": ["..", "a..b", "%2E."], "operation": {"type": "network", "request":
                {"method": "DELETE", "url": "\#(peer.url(""))/users/{id}/sessions", "vars": {"id": {"$item": ""}}}}}}
            """#)
        let ended = try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=20"])
        #expect(ended.at("/state") == "succeeded", "\(String(decoding: ended.body, as: UTF8.self))")
        let lines = peer.requests.map { $0.prefix { $0 != "\r\n" } }
        #expect(lines == ["DELETE /users/a..b/sessions HTTP/1.1"])
    }

    @Test func `is refused when a parameter of a template would lead it elsewhere`() throws {
        let peer = FaultServer { connection, _ in connection.answerAll("{}") }
        defer { peer.stop() }
        let server = try LiveServer()
        let made = try server.send(
            "PUT", "/v1/templates/remove",
            body:
                #"""
                {"parameters": {"a": {"type": "string"}, "b": {"type": "string"}}, "operation": {"type": "network",
                  "request": {"method": "DELETE", "url": "\#(peer.url(""))/users/{a}{b}/sessions",
                    "vars": {"a": {"$param": "a"}, "b": {"$param": "b"}}}}}
                """#)
        #expect(made.status == 201)
        let ended = try server.post(
            "/v1/jobs", #"{"template": "remove", "params": {"a": ".", "b": "."}}"#,
            headers: ["Prefer: wait=20"])
        #expect(ended.at("/error/code") == "template.invalid")
        #expect(peer.requests.isEmpty)
    }

    @Test func `is refused at submission when the value is literal`() throws {
        let server = try LiveServer()
        let answer = try server.post(
            "/v1/jobs",
            #"{"type": "network", "request": {"url": "https://a.example/users/{id}", "vars": {"id": ".."}}}"#)
        #expect(answer.status == 422 || answer.status == 400)
        #expect(answer.at("/errors/0/code") == "spec.bad_template")
    }
}
