import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// A server, and an upstream that keeps what it gets.
private final class Stage {
    let teams: TenantServer
    let upstream = FaultServer { connection, _ in
        while connection.readRequest() != nil { connection.answer("{}") }
    }

    init() throws {
        teams = try TenantServer(["--max-artifact", "2MiB", "--tenant-limits", "beta:artifacts=100KiB"])
    }
}

/// 600,000 bytes of text without a period.
private let content = {
    let bytes = (0..<600_000).map { (index: Int) -> UInt8 in
        let mixed = (index &* 31) ^ (index >> 7)
        return UInt8(0x61 + mixed % 26)
    }
    return String(decoding: bytes, as: UTF8.self)
}()

@Suite(.serialized) struct `A live upload` {
    private let stage: Stage
    private var acme: TenantClient { stage.teams.acme }
    private var port: Int { Int(stage.teams.server.url.split(separator: ":").last ?? "") ?? 0 }

    init() throws { stage = try Stage() }

    /// Sends an upload over a connection of its own.
    private func upload(
        _ text: String, as client: TenantClient? = nil, type: String = "text/csv", inChunks: Bool = false,
        _ more: [String] = []
    ) throws -> LiveServer.Answer {
        let size = text.utf8.count
        let framing = inChunks ? "Transfer-Encoding: chunked" : "Content-Length: \(size)"
        let lines = ["Content-Type: \(type)", framing] + more
        let body = inChunks ? "\(String(size, radix: 16))\r\n\(text)\r\n0\r\n\r\n" : text
        let connection = try #require(PlainConnection(port: port))
        let head = head(client ?? acme) + lines.map { $0 + "\r\n" }.joined()
        connection.send(Array((head + "\r\n" + body).utf8))
        return connection.readAnswer(isHead: false)
    }

    private func head(_ client: TenantClient) -> String {
        "POST /v1/artifacts HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(client.token)\r\n"
    }

    /// The drafts on the disk of the server.
    private var drafts: [String] {
        let path = stage.teams.server.directory.appending(path: "data/artifacts/drafts").path
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    /// The base 64 of the SHA-256 of a text, by openssl.
    private func sha256(_ text: String) throws -> String {
        let words = ["-c", "openssl dgst -sha256 -binary | base64"]
        return try LiveServer.run(URL(filePath: "/bin/sh"), words, input: text).output
            .trimmingCharacters(in: .newlines)
    }

    @Test func `is stored as it was sent, read in parts, listed and deleted`() throws {
        let digest = try sha256(content)
        let made = try upload(content, ["Content-Digest: sha-512=:AA==:, sha-256=:\(digest):"])
        #expect(made.status == 201, "\(made.json)")
        let path = try #require(made.field("location"))
        #expect(made.at("/bytes") == 600_000)
        #expect(made.at("/content_type") == "text/csv")
        #expect(made.at("/in_use") == .bool(false))
        #expect(made.at("/links/self")?.string == path)
        let read = try acme.get(path)
        #expect(read.at("/expires_at")?.string != nil)
        #expect(read.at("/digest") == made.at("/digest"))
        let whole = try acme.get(path + "/content")
        #expect(whole.body == Data(content.utf8))
        #expect(whole.field("content-type") == "text/csv")
        #expect(whole.field("content-digest") == "sha-256=:\(digest):")
        let part = try acme.send("GET", path + "/content", headers: ["Range: bytes=599990-"])
        #expect(part.status == 206)
        #expect(String(decoding: part.body, as: UTF8.self) == content.suffix(10))
        #expect(try acme.send("HEAD", path + "/content").field("content-length") == "600000")
        #expect(try acme.get("/v1/artifacts?page_size=1").at("/items/0/id") == made.at("/id"))
        #expect(try stage.teams.operate.get(path).at("/tenant") == "acme")
        #expect(try acme.send("DELETE", path).status == 204)
        #expect(try acme.get(path).at("/code") == "upload.not_found")
        #expect(try acme.get(path + "/content").status == 404)
        #expect(try acme.send("DELETE", path).status == 404)
    }

    @Test func `is sent by jobs, and kept until the last of them is erased`() throws {
        let id = try upload(content).at("/id")?.string ?? ""
        let call = #"""
            {"type": "network", "request": {"method": "PUT", "url": "\#(stage.upstream.url("/whole"))",
              "artifact": {"id": "\#(id)"}}}
            """#
        let form = #"""
            {"type": "network", "request": {"method": "POST", "url": "\#(stage.upstream.url("/form"))", "multipart": [
              {"name": "month", "text": "März"}, {"name": "file", "filename": "a.csv", "artifact": {"id": "\#(id)"}}]}}
            """#
        let jobs = try [call, form].map { spec in
            let id = try acme.submit(spec)
            #expect(try acme.end(of: id).at("/state") == "succeeded")
            return id
        }
        let requests = stage.upstream.requests
        let whole = try #require(requests.last { $0.hasPrefix("PUT /whole") })
        #expect(whole.hasSuffix("\r\n\r\n" + content))
        #expect(whole.contains("Content-Type: text/csv\r\n"))
        let sent = try #require(requests.last { $0.hasPrefix("POST /form") })
        #expect(sent.contains("filename=\"a.csv\"\r\nContent-Type: text/csv\r\n\r\n" + content + "\r\n--"))
        #expect(sent.contains("name=\"month\"\r\n\r\nMärz\r\n--"))
        #expect(try acme.get("/v1/artifacts/\(id)").at("/in_use") == .bool(true))
        #expect(try acme.get("/v1/artifacts/\(id)").at("/expires_at") == nil)
        #expect(try acme.send("DELETE", "/v1/artifacts/\(id)").at("/code") == "upload.in_use")
        for job in jobs { #expect(try acme.send("DELETE", "/v1/jobs/\(job)").status == 204) }
        #expect(try acme.get("/v1/artifacts/\(id)").at("/in_use") == .bool(false))
        #expect(try acme.send("DELETE", "/v1/artifacts/\(id)").status == 204)
    }

    @Test func `is refused in a spec, with its place, where it is unknown or foreign`() throws {
        let id = try upload("a,b\n").at("/id")?.string ?? ""
        func spec(_ id: String) -> String {
            #"""
            {"type": "network", "request": {"method": "POST", "url": "http://127.0.0.1:9/",
              "multipart": [{"name": "f", "artifact": {"id": "\#(id)"}}]}}
            """#
        }
        for (client, id) in [
            (acme, "art_01hzzzzzzzzzzzzzzzzzzzzzzz"), (stage.teams.beta, id), (stage.teams.operate, id),
        ] {
            for path in ["/v1/jobs", "/v1/jobs?validate_only=true"] {
                let answer = try client.send("POST", path, spec(id))
                #expect(answer.status == 422)
                #expect(answer.at("/errors/0/pointer") == "/request/multipart/0/artifact/id")
                #expect(answer.at("/errors/0/code") == "upload.not_found")
                #expect(answer.at("/detail")?.string?.contains("POST /v1/artifacts") == true)
            }
            let keyed = try client.send("POST", "/v1/jobs", spec(id), headers: ["Idempotency-Key: once"])
            #expect(keyed.status == 422)
            #expect(keyed.at("/errors/0/pointer") == "/request/multipart/0/artifact/id")
            let batch = try client.send("POST", "/v1/jobs:batch", "[\(spec(id))]")
            #expect(batch.at("/items/0/problem/errors/0/code") == "upload.not_found", "\(batch.json)")
        }
        #expect(try acme.send("POST", "/v1/jobs?validate_only=true", spec(id)).status == 200)
    }

    @Test func `leaves nothing behind when it is cut, longer than it said, or not what was announced`() throws
    {
        let before = try acme.get("/v1/artifacts").at("/items")
        let head = head(acme)
        let half = String(content.prefix(300_000))
        for framing in ["Content-Length: 600000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n927c0\r\n"] {
            let connection = try #require(PlainConnection(port: port))
            connection.send(Array((head + framing + half).utf8))
            #expect(soon { !drafts.isEmpty })
            connection.endSending()
            #expect(connection.readAnswer(isHead: false).at("/code") == "http.malformed")
            #expect(soon { drafts.isEmpty })
        }
        let wrong = try upload("a,b\n", ["Content-Digest: sha-256=:\(try sha256("a;b\n")):"])
        #expect(wrong.status == 400)
        #expect(wrong.at("/code") == "upload.digest")
        for digest in ["sha-256=AAAA", "md5=:AAAA:", "sha-256=:AAAA:"] {
            #expect(try upload("a", ["Content-Digest: \(digest)"]).at("/code") == "header.invalid")
        }
        #expect(try acme.get("/v1/artifacts").at("/items") == before)
        // What follows the length that was said is another request, and no good one.
        let connection = try #require(PlainConnection(port: port))
        connection.send(Array((head + "Content-Length: 3\r\n\r\na,b\n\u{1}").utf8))
        let made = connection.readAnswer(isHead: false)
        #expect(made.at("/bytes") == 3)
        #expect(connection.readAnswer(isHead: false).status == 400)
        #expect(soon { drafts.isEmpty })
    }

    @Test func `has limits, and is the file itself`() throws {
        let large = String(repeating: content, count: 4)
        for inChunks in [false, true] { #expect(try upload(large, inChunks: inChunks).status == 413) }
        let tenant = try upload(content, as: stage.teams.beta)
        #expect(tenant.status == 429)
        #expect(tenant.at("/code") == "tenant.limited")
        let half = String(content.prefix(60_000))
        #expect(try upload(half, as: stage.teams.beta).status == 201)
        let second = try upload(half, as: stage.teams.beta)
        #expect(second.at("/code") == "tenant.limited")
        #expect(second.at("/detail")?.string?.contains("60000 bytes") == true)
        let form = try upload("--x--", type: "multipart/form-data; boundary=x")
        #expect(form.status == 415)
        #expect(form.at("/detail")?.string?.contains("-T FILE") == true)
        #expect(try upload("x", ["Content-Encoding: gzip"]).status == 415)
        #expect(try upload("x", type: "nonsense").at("/code") == "header.invalid")
        #expect(try upload("x", ["Idempotency-Key: once"]).status == 400)
        #expect(soon { drafts.isEmpty })
        let metrics = String(decoding: try stage.teams.operate.get("/metrics").body, as: UTF8.self)
        #expect(metrics.contains("\njobserver_uploads_total "))
    }
}
