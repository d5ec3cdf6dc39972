import Foundation
import StrictJSON
import Testing

@Suite struct `A signal over HTTP` {
    private static let code: JSONValue = "warning.signal_not_awaited"

    @Test func `is answered with a warning when nothing awaits it, and is kept`() throws {
        let server = try LiveServer()
        let id = try server.submit(
            #"{"type": "group", "run_at": "1h", "operations": [{"type": "await", "signal": "paid"}]}"#)
        let path = "/v1/jobs/\(id)"
        let wrong = try server.post("\(path)/signals/piad", "1")
        #expect(wrong.status == 202)
        #expect(wrong.at("/warnings/0/code") == Self.code)
        #expect(wrong.at("/warnings/0/detail")?.string?.contains("Did you mean paid?") == true)
        let right = try server.post("\(path)/signals/paid", "1")
        #expect(right.status == 202)
        #expect(right.at("/warnings") == nil)
        #expect(try server.get(path).at("/warnings") == nil)
        // A member that is added later takes the signal that was too early for it.
        let member = #"{"operation": {"type": "await", "name": "late", "signal": "piad"}}"#
        #expect(try server.post("\(path)/operations", member).status == 202)
        #expect(try server.post("\(path)/signals/piad", "2").at("/warnings") == nil)
    }

    @Test func `is not looked up for a job that has many posts, or that waits for it`() throws {
        let server = try LiveServer()
        let id = try server.submit(#"{"type": "delay", "for": "1h", "run_at": "1h"}"#)
        let answers = try (1...17).map { _ in try server.post("/v1/jobs/\(id)/signals/go") }
        #expect(answers.map(\.status) == Array(repeating: 202, count: 17))
        let expected = [JSONValue?](repeating: Self.code, count: 16) + [nil]
        #expect(answers.map { $0.at("/warnings/0/code") } == expected)
    }

    @Test func `says nothing of the job to a token that may not read it`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let file = home.appending(path: "tokens").path
        func token(_ name: String, _ scope: String) throws -> String {
            let words = ["token", "create", "--token-file", file, "--name", name, "--scope", scope]
            let made = try LiveServer.command(words)
            return "Authorization: Bearer " + made.output.trimmingCharacters(in: .newlines)
        }
        let (reads, writes) = (try token("ada", "read"), try token("bob", "write"))
        let server = try LiveServer(["--token-file", file], directory: home)
        let made = try server.post(
            "/v1/jobs", #"{"type": "await", "signal": "secret_name"}"#, headers: [writes])
        let id = try #require(made.at("/id")?.string)
        #expect(try server.get("/v1/jobs/\(id)", headers: [reads]).status == 200)
        let answer = try server.post("/v1/jobs/\(id)/signals/go", headers: [writes])
        #expect(answer.status == 202)
        #expect(answer.at("/warnings") == nil)
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("secret_name"))
    }
}
