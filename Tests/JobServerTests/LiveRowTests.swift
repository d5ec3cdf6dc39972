import FaultyHTTP
import Foundation
import StrictJSON
import Synchronization
import Testing

/// `jobserver submit` of files with many rows.
@Suite(.serialized) struct `Many rows` {
    private static let greeting = #"""
        {"parameters": {"whom": {"type": "string", "required": true}, "times": {"type": "integer", "maximum": 5}},
         "operation": {"type": "value", "name": "greet", "value": {"whom": {"$param": "whom"}}}}
        """#

    private func folder(_ files: [String: String]) throws -> URL {
        let folder = LiveServer.temporaryDirectory()
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        return folder
    }

    private func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

    @Test func `of a table become jobs of a template, and a refused one is named by its line`() throws {
        let server = try LiveServer()
        #expect(
            try server.send("PUT", "/v1/templates/greeting", body: Self.greeting).status == 201)
        let folder = try folder(["rows.csv": "whom,times\r\nAda,1\r\n\"Bob\nJr\",7\r\n,2\r\nCy\r\nDan,2\r\n"])
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "rows.csv").path
        let ended = try server.client("submit", path, "--template", "greeting")
        #expect(ended.code == 12, "\(ended.errors)")
        #expect(lines(ended.output).count == 2)
        let refused = lines(ended.errors).filter { $0.hasPrefix("\(path):") }
        #expect(refused.map { $0.dropFirst(path.utf8.count).prefix(3) } == [":3:", ":5:", ":6:", ": 2"])
        #expect(refused.first?.contains("/params/times") == true, "\(ended.errors)")
        #expect(refused.last?.contains("2 jobs submitted; 3 rows refused") == true, "\(ended.errors)")
        let again = try server.client("submit", path, "--template", "greeting", "--json")
        let items = try lines(again.output).map { try JSONParser.parse(Array($0.utf8)).object }
        #expect(items.map { $0?["line"] } == [2, 3, 5, 6, 7])
        #expect(items.map { $0?["status"] } == [202, 422, 422, 422, 202])
        #expect(
            items.compactMap { $0?["job"]?.object?["id"]?.string } == lines(ended.output).map(String.init))
        #expect(try server.get("/v1/jobs").at("/items")?.array?.count == 2)
    }

    @Test func `find their jobs when they are submitted again, and others by a key of their own`() throws {
        let server = try LiveServer()
        let line = #"{"type": "delay", "for": "1h"}"# + "\n"
        let folder = try folder(["rows.ndjson": String(repeating: line, count: 1_001)])
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "rows.ndjson").path
        let first = try server.client("submit", path)
        #expect(first.code == 0, "\(first.errors)")
        #expect(Set(lines(first.output)).count == 1_001)
        let second = try server.client("submit", path)
        #expect(second.output == first.output)
        #expect(second.errors.contains("1001 jobs submitted, 1001 of them by an earlier submission"))
        let third = try server.client("submit", path, "--idempotency-key", "other", "--quiet")
        #expect(Set(lines(third.output)).isDisjoint(with: lines(first.output)))
        #expect(third.errors == "")
        // Another content under the key of the user is no second submission.
        try Data((line + line).utf8).write(to: URL(filePath: path))
        let fourth = try server.client("submit", path, "--idempotency-key", "other")
        #expect(fourth.code == 1)
        #expect(fourth.output == "")
        #expect(fourth.errors.contains("\(path):2: This Idempotency-Key created the job"))
    }

    @Test func `are waited for, and the line of one that failed is named`() throws {
        let server = try LiveServer()
        let fine = #"{"type": "value", "value": 1}"#
        let broken = #"{"type": "network", "request": "http://127.0.0.1:1/", "retry": {"max_attempts": 1}}"#
        let mixed = try server.client("submit", "-", "--wait", input: "[\(fine),\n\(broken),\n\(fine)]")
        #expect(mixed.code == 12, "\(mixed.errors)")
        #expect(mixed.errors.contains("Standard input:2: job_"))
        #expect(mixed.errors.contains("[connect.refused]"))
        #expect(mixed.errors.contains("3 jobs ended, 2 with success"))
        let right = try server.client("submit", "-", "--wait", input: "[\(fine), \(fine)]")
        #expect(right.code == 0, "\(right.errors)")
        let wrong = try server.client("submit", "-", "--wait", input: "[\(broken)]")
        #expect(wrong.code == 1)
        let late = try server.client(
            "submit", "-", "--wait", "--timeout", "0", input: #"[{"type": "delay", "for": "1h"}]"#)
        #expect(late.code == 11)
        #expect(late.errors.contains("1 of 1 has not ended"))
        let one = try server.client("submit", "-", "--wait", input: broken)
        #expect(one.code == 1)
    }

    @Test func `go on when the queue has room again`() throws {
        let asked = Mutex<[String]>([])
        let proxy = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                let key = request.split(separator: "\r\n").first {
                    $0.lowercased().hasPrefix("idempotency-key")
                }
                let count = asked.withLock {
                    $0.append(String(key ?? ""))
                    return $0.count
                }
                let full = #"{"status": 429, "problem": {"detail": "The queue is full."}}"#
                let old = count > 1 ? #""replayed": true, "# : ""
                let job = #"{"status": 202, \#(old)"job": {"id": "job_1", "state": "queued", "done": false}}"#
                let new = #"{"status": 202, "job": {"id": "job_2", "state": "queued", "done": false}}"#
                connection.answer(#"{"items": [\#(job), \#(count > 1 ? new : full)]}"#)
            }
        }
        defer { proxy.stop() }
        let spec = #"{"type": "value", "value": 1}"#
        let ended = try LiveServer.command(
            ["submit", "-", "--format", "ndjson"], input: "\(spec)\n\(spec)\n",
            environment: ["JOBSERVER_URL": proxy.url("")])
        #expect(ended.code == 0, "\(ended.errors)")
        #expect(ended.output == "job_1\njob_2\n")
        #expect(ended.errors == "Standard input: 2 jobs submitted\n")
        let keys = asked.withLock(\.self)
        #expect(keys.count == 2)
        #expect(keys.first == keys.last)
    }

    @Test func `that cannot be jobs are refused before anything is sent`() throws {
        let server = try LiveServer()
        let folder = try folder(["rows.csv": "a\n1\n", "empty.ndjson": "\n"])
        defer { try? FileManager.default.removeItem(at: folder) }
        func command(_ file: String, _ words: String...) throws -> LiveServer.Ended {
            try LiveServer.command(
                ["submit", folder.appending(path: file).path] + words,
                environment: ["JOBSERVER_URL": server.url])
        }
        let table = try command("rows.csv")
        #expect(table.code == 2)
        #expect(table.errors.contains("--template NAME"))
        #expect(try command("rows.csv", "--template", "none").code == 1)
        let empty = try command("empty.ndjson")
        #expect(empty.code == 1)
        #expect(empty.errors.contains("has no rows"))
        #expect(try command("missing.csv").errors.contains("missing.csv is not there"))
        #expect(try command("rows.csv", "--format", "xml").code == 2)
        #expect(try command("rows.csv", "--timeout", "1s").code == 2)
        #expect(try server.get("/v1/jobs").at("/items")?.array?.isEmpty == true)
    }
}
