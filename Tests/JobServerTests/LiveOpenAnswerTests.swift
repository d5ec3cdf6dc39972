import Foundation
import JobKit
import StrictJSON
import Testing

@testable import JobServer

@Suite struct `Answers that stay open` {
    private let never = #"{"type": "delay", "for": "1s", "run_at": "1h"}"#

    /// A server with tokens.
    private final class Guarded {
        let home = LiveServer.temporaryDirectory()
        let file: TokenFile
        let server: LiveServer
        private(set) var entries: [TokenEntry] = []
        private var tokens: [String: BearerToken] = [:]

        init(_ names: String...) throws {
            file = TokenFile(path: home.appending(path: "tokens").path)
            for name in names {
                let token = BearerToken()
                tokens[name] = token
                entries.append(TokenEntry(name: name, digest: token.digest))
            }
            try file.write(entries)
            server = try LiveServer(["--token-file", file.path], directory: home)
        }

        deinit { try? FileManager.default.removeItem(at: home) }

        func text(_ name: String) -> String { tokens[name]?.text ?? "" }

        func field(_ name: String) -> String { "Authorization: Bearer \(text(name))" }

        /// Changes the token file.
        func change(_ edit: (inout [TokenEntry]) -> Void) throws {
            edit(&entries)
            try file.write(entries)
        }

        /// Waits until the metric has this value.
        func wait(until metric: String, is count: Int) throws {
            for _ in 0..<500 {
                let text = String(
                    decoding: try server.get("/metrics", headers: [field("eye")]).body, as: UTF8.self)
                if text.contains("\n\(metric) \(count)\n") { return }
                usleep(10_000)
            }
            Issue.record("\(metric) is not \(count)")
        }
    }

    /// A request whose answer is awaited elsewhere.
    private final class Later {
        private let process = Process()
        private let output = Pipe()

        init(_ guarded: Guarded, _ words: [String], _ path: String) throws {
            process.executableURL = URL(filePath: "/usr/bin/curl")
            process.arguments = ["-s", "-i", "--max-time", "30"] + words + [guarded.server.url + path]
            process.standardOutput = output
            process.standardInput = FileHandle.nullDevice
            try process.run()
        }

        var answer: LiveServer.Answer {
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return LiveServer.parse(data)
        }
    }

    private func expectRefusal(_ stream: LiveStream, _ words: String) {
        let last = stream.events { $0.name == "refused" }.last
        #expect(last?.name == "refused")
        #expect(last?.at("/code") == "auth.unauthenticated")
        #expect(last?.at("/detail")?.string?.contains(words) == true)
        #expect(stream.next() == nil)
    }

    @Test func `end when their token leaves the token file, and no others`() throws {
        let guarded = try Guarded("ada", "eye")
        let server = guarded.server
        let job = try server.submit(never, headers: [guarded.field("eye")])
        let streams = try ["/v1/events", "/v1/jobs/\(job)/events"].map {
            try LiveStream(server, $0, headers: [guarded.field("ada")])
        }
        let other = try LiveStream(server, "/v1/events", headers: [guarded.field("eye")])
        for stream in streams + [other] { #expect(stream.next()?.name == "bookmark") }
        let asking = ["-H", guarded.field("ada"), "-H", "Prefer: wait=60"]
        let poll = try Later(guarded, asking, "/v1/jobs/\(job)")
        let submission = try Later(guarded, asking + ["--json", never], "/v1/jobs")
        try guarded.wait(until: "jobserver_http_waiting_requests", is: 3)
        try guarded.change { $0.removeAll { $0.name == "ada" } }
        for stream in streams { expectRefusal(stream, "no token known here") }
        let refused = poll.answer
        #expect(refused.status == 401)
        #expect(refused.field("WWW-Authenticate")?.contains("invalid_token") == true)
        // It was accepted, and says so.
        let accepted = submission.answer
        #expect(accepted.status == 202)
        #expect(accepted.at("/id") != nil)
        let value = try server.submit(#"{"type": "value", "value": 1}"#, headers: [guarded.field("eye")])
        #expect(other.events { $0.at("/id")?.string == value }.last?.name == "message")
        try guarded.wait(until: "jobserver_event_streams", is: 1)
        try guarded.wait(until: "jobserver_http_waiting_requests", is: 0)
    }

    @Test func `end when their token expires or loses its scope`() throws {
        let guarded = try Guarded("ada", "bob", "eye")
        let soon = Timestamp(milliseconds: SystemTime.now().milliseconds + 2_000)
        try guarded.change { $0[0].expiresAt = soon }
        let (ada, bob) = try (
            LiveStream(guarded.server, "/v1/events", headers: [guarded.field("ada")]),
            LiveStream(guarded.server, "/v1/events", headers: [guarded.field("bob")])
        )
        for stream in [ada, bob] { #expect(stream.next()?.name == "bookmark") }
        try guarded.change { $0[1].scopes = [.submit] }
        let lost = bob.events { $0.name == "refused" }.last
        #expect(lost?.at("/code") == "auth.forbidden")
        #expect(bob.next() == nil)
        expectRefusal(ada, "expired at \(soon)")
    }

    @Test func `end when the browser signs out, but not those of the token itself`() throws {
        let guarded = try Guarded("ada", "eye")
        let server = guarded.server
        let page = ["Sec-Fetch-Site: same-origin", "Origin: \(server.url)"]
        let signedIn = try server.post(
            "/session", "{\"token\":\"\(guarded.text("ada"))\"}", headers: page)
        let cookie = "Cookie: \(try #require(signedIn.field("set-cookie")).prefix { $0 != ";" })"
        let job = try server.submit(never, headers: [guarded.field("ada")])
        let stream = try LiveStream(server, "/v1/events", headers: [cookie] + page)
        let other = try LiveStream(server, "/v1/events", headers: [guarded.field("ada")])
        for stream in [stream, other] { #expect(stream.next()?.name == "bookmark") }
        let poll = try Later(
            guarded, (page + [cookie, "Prefer: wait=60"]).flatMap { ["-H", $0] }, "/v1/jobs/\(job)")
        try guarded.wait(until: "jobserver_http_waiting_requests", is: 1)
        #expect(try server.send("DELETE", "/session", headers: [cookie] + page).status == 204)
        expectRefusal(stream, "session in this browser has ended")
        #expect(poll.answer.status == 401)
        let value = try server.submit(#"{"type": "value", "value": 1}"#, headers: [guarded.field("ada")])
        #expect(other.events { $0.at("/id")?.string == value }.last?.name == "message")
    }
}
