import Foundation
import HTTPMessage
import ScratchPostgres
import StrictJSON
import Testing

@testable import JobServer

/// The tokens of callback URLs, each of which is itself a permission.
@Suite struct `A callback URL that others repeat` {
    /// The values of the names in the patterns of routes.
    private struct Known {
        var ids: [String: String]

        func filled(_ pattern: String) -> String {
            var path = pattern
            for (name, value) in ids { path = path.replacing("{\(name)}", with: value) }
            return path.replacing("{", with: "").replacing("}", with: "")
        }
    }

    /// Orders whose upstreams repeat the URL, one of them in a file, one in a failure.
    private func spec(_ good: Printer, _ bad: Printer) -> String {
        func order(_ name: String, _ url: String, _ more: String) -> String {
            #"""
            {"type": "network", "name": "\#(name)", "on_failure": "continue", "retry": {"max_attempts": 1}\#(more),
              "request": {"method": "POST", "url": "\#(url)", "headers": {"X-Notify": {"$callback": "printed"}},
                "query": {"to": {"$callback": "printed"}}, "json": {"notify_url": {"$callback": "printed"}}}}
            """#
        }
        return #"""
            {"type": "group", "name": "print", "operations": [
              \#(order("order", good.url, "")), \#(order("broken", bad.url, "")),
              \#(order("kept", good.url, #", "save": {"artifact": "answer.json"}"#)),
              {"type": "value", "name": "copy", "value": {"$get": "order", "at": "/body"}},
              {"type": "await", "name": "printed", "callback": {}},
              {"type": "value", "name": "seen", "value": {"all": {"$get": "printed", "at": ""}}}]}
            """#
    }

    @Test func `is in no answer, stream, log, trace or file, though senders and receivers repeat it`() throws
    {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let secret = try lookEverywhere([], home)
        let files = try checkFiles(in: home, secret)
        #expect(files.contains { $0.hasSuffix("jobs.db") })
    }

    @Test(.enabled(if: PostgresServer.isInstalled))
    func `is in no answer of servers that share a PostgreSQL, and in no table or file`() throws {
        let shared = SharedPlace()
        let homes = [LiveServer.temporaryDirectory(), LiveServer.temporaryDirectory()]
        defer { for home in homes { try? FileManager.default.removeItem(at: home) } }
        let other = try LiveProgram(
            LiveCallbackURLs.flags + shared.flags() + shared.keyFlags(), directory: homes[1])
        let secret = try lookEverywhere(shared.flags() + shared.keyFlags(), homes[0], other)
        _ = other.stop(SIGTERM)
        for home in homes { _ = try checkFiles(in: home, secret) }
        let artifacts = try checkFiles(in: URL(filePath: shared.artifacts), secret)
        #expect(!artifacts.isEmpty)
        let store = try shared.storeFlags()
        let dump = try LiveServer.run(
            URL(filePath: "/usr/bin/pg_dump"), ["-d", store[1], "-n", store[3], "--inserts"])
        try #require(dump.code == 0, "\(dump.errors)")
        let hex = secret.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(dump.output.contains("INSERT INTO \(store[3]).job"))
        #expect(!dump.output.contains(hex) && !dump.output.contains(String(decoding: secret, as: UTF8.self)))
    }

    /// No file has the token. Returns the files.
    private func checkFiles(in folder: URL, _ secret: Data) throws -> [String] {
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for file in files {
            let content = FileManager.default.contents(atPath: folder.appending(path: file).path)
            #expect(content?.range(of: secret) == nil, "\(file) has the token")
        }
        return files
    }

    /// Uses a callback URL in each way, and reads all that a server tells.
    /// - Parameter other: another server of the same store.
    /// - Returns: a part of the token.
    private func lookEverywhere(_ flags: [String], _ home: URL, _ other: LiveServer? = nil) throws -> Data {
        let (good, bad) = (Printer(), Printer(status: "400 Bad"))
        defer {
            good.stop()
            bad.stop()
        }
        let collector = TraceCollector.isThere ? try TraceCollector() : nil
        let server = try LiveProgram(
            LiveCallbackURLs.flags + flags + ["--access-log", "--log-level", "debug"], directory: home,
            environment: collector?.environment ?? [:])
        #expect(try server.send("PUT", "/v1/queues/mail", body: #"{"concurrency": 1}"#).status == 201)
        let id = try server.submit(spec(good, bad))
        let path = try good.next()
        #expect(try good.next() == path)
        #expect(try bad.next() == path)
        let url = LiveCallbackURLs.base + path
        let repeated = ["Referer: \(url)", "X-Reply-To: \(url)", "Cookie: from=\(url)"]
        #expect(try server.post("\(path)/heartbeat", headers: repeated).status == 202)
        #expect(try server.post("\(path)/progress", #"{"done": "\#(url)"}"#, headers: repeated).status == 400)
        #expect(try server.get(path, headers: repeated).status == 405)
        let body = #"{"state": "done", "url": "\#(url)"}"#
        #expect(try server.post("\(path)?from=\(url)", body, headers: repeated).status == 202)
        #expect(try server.post(path, body, headers: repeated).status == 200)
        #expect(try server.post(path, #"{"other": "\#(url)"}"#, headers: repeated).status == 409)
        #expect(try server.rest(id).at("/state") == "succeeded")
        #expect(
            try server.get("/v1/jobs/\(id)/operations/seen/result").at("/all/headers/referer")
                == "https://callbacks.example/callbacks/***")

        let token = Array(path.dropFirst("/callbacks/".count).utf8)
        // Its middle: neither the form of its beginning nor an escape of its end hides it.
        let secret = Data(token.dropFirst(30).prefix(40))
        for server in [server, other].compactMap(\.self) {
            try walk(server, Known(ids: ["id": id, "name": "mail", "queue": "mail"]), secret)
        }
        let spans = try collector?.trace(of: id).map { Data($0.json.encoded()) } ?? []
        #expect(collector == nil || !spans.isEmpty)
        #expect(!spans.contains { $0.range(of: secret) != nil }, "a span has the token")
        #expect(server.log.contains("/callbacks/***"))
        _ = server.stop(SIGTERM)
        return secret
    }

    /// Reads all that can be read.
    private func walk(_ server: LiveServer, _ known: Known, _ secret: Data) throws {
        var paths = (RouteTable.routes + PageRoutes.routes).filter { $0.method == .get }
            .map { known.filled($0.pattern.text) }
        let job = "/v1/jobs/\(known.ids["id"] ?? "")"
        for name in ["order", "broken", "kept", "copy", "printed", "seen"] {
            paths += ["\(job)/operations/\(name)", "\(job)/operations/\(name)/result"]
        }
        paths += [
            "\(job)?view=full", "\(job)/operations?view=full", "\(job)/attempts?format=har",
            "\(job)/artifacts/answer.json", "/v1/jobs?view=full", "/v1/audit", "/v1/failures", "/",
        ]
        #expect(paths.count > 70)
        var found = 0
        for path in paths {
            // A stream has no end.
            let isStream = path.hasSuffix("/events")
            let headers = isStream ? ["Accept: text/event-stream", "Last-Event-ID: 0"] : []
            let curl = isStream ? ["--max-time", "1"] : []
            let answer = try server.send("GET", path, headers: headers, curl: curl)
            if answer.status == 200 { found += 1 }
            #expect(answer.body.range(of: secret) == nil, "\(path) shows the token")
            #expect(!answer.fields.contains { Data($0.value.utf8).range(of: secret) != nil }, "\(path)")
        }
        #expect(found > 40)
    }
}
