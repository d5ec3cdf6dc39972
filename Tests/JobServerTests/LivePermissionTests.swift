import Foundation
import StrictJSON
import Testing

@testable import JobServer

@Suite struct `The permission of a live request` {
    private let spec = #"{"type": "delay", "for": "1s", "run_at": "1h"}"#

    /// Sends a submission with this token whose body waits for `meanwhile`.
    private func submit(
        to server: LiveServer, _ framing: String, _ body: [String], token: String,
        _ meanwhile: () throws -> Void
    ) throws -> LiveServer.Answer {
        let port = Int(server.url.split(separator: ":").last ?? "") ?? 0
        let connection = try #require(PlainConnection(port: port))
        let head = "POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n"
        connection.send(Array("\(head)Content-Type: application/json\r\n\(framing)\r\n\r\n\(body[0])".utf8))
        try meanwhile()
        connection.send(Array(body[1].utf8))
        return connection.readAnswer(isHead: false)
    }

    @Test func `ends when its token is revoked between its head and the end of its body`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let file = TokenFile(path: home.appending(path: "tokens").path)
        let (ada, eye) = (BearerToken(), BearerToken())
        let other = TokenEntry(name: "eye", digest: eye.digest)
        let both = [TokenEntry(name: "ada", digest: ada.digest), other]
        try file.write(both)
        let server = try LiveServer(["--token-file", file.path], directory: home)
        /// Waits until the server has read the file, which holds this many tokens of ada.
        func replace(_ entries: [TokenEntry], _ status: Int) throws {
            try file.write(entries)
            for _ in 0..<500 {
                let seen = try server.get("/v1/jobs", headers: ["Authorization: Bearer \(ada.text)"]).status
                if seen == status { return }
                usleep(10_000)
            }
            Issue.record("The tokens were not read again.")
        }
        let (one, two) = (String(spec.prefix(10)), String(spec.dropFirst(10)))
        let size = String(two.utf8.count, radix: 16)
        let whole = ("Content-Length: \(spec.utf8.count)", [one, two])
        let chunks = ("Transfer-Encoding: chunked", ["a\r\n\(one)\r\n", "\(size)\r\n\(two)\r\n0\r\n\r\n"])
        for (framing, body) in [whole, chunks] {
            let calm = try submit(to: server, framing, body, token: ada.text) {}
            #expect(calm.status == 202, "\(calm.json)")
            let revoked = try submit(to: server, framing, body, token: ada.text) {
                try replace([other], 401)
            }
            #expect(revoked.status == 401)
            #expect(revoked.at("/code") == "auth.unauthenticated")
            try replace(both, 200)
            // A change that does not concern the token does no harm.
            let kept = try submit(to: server, framing, body, token: eye.text) {
                try replace([other], 401)
            }
            #expect(kept.status == 202)
            try replace(both, 200)
        }
        let jobs = try server.get("/v1/jobs", headers: ["Authorization: Bearer \(eye.text)"])
        #expect(jobs.at("/items")?.array?.count == 4)
    }
}
