import Foundation
import StrictJSON
import Testing

/// The link of a callback URL that a person opens in a browser.
@Suite struct `A link for a person` {
    private static let browser = [
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Origin: null",
    ]

    private func spec(_ printer: Printer, _ more: String = "") -> String {
        #"""
        {"type": "group", "stop_when": "first_failure", "operations": [
          {"type": "network", "name": "order", "request": {"method": "POST", "url": "\#(printer.url)",
            "json": {"notify_url": {"$callback": "printed"}}}},
          {"type": "await", "name": "printed", "callback": {"confirm": true}\#(more)}]}
        """#
    }

    /// Presses the button.
    private func press(_ server: LiveServer, _ path: String, _ content: String = "confirmed=true") throws
        -> LiveServer.Answer
    {
        let form = ["Content-Type: application/x-www-form-urlencoded"]
        return try server.post(path, content, headers: form + Self.browser)
    }

    private func check(_ answer: LiveServer.Answer, _ status: Int, _ title: String) {
        #expect(answer.status == status)
        #expect(answer.field("content-type")?.hasPrefix("text/html") == true)
        #expect(answer.field("referrer-policy") == "no-referrer")
        #expect(answer.field("content-security-policy")?.contains("default-src 'none'") == true)
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.contains("<h1>\(title)</h1>"), "\(text)")
        #expect(!text.contains("jcb1_"))
    }

    @Test func `tells in words that it was used, and that another answer came before`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let id = try server.submit(spec(printer))
        let path = try printer.next()
        check(try press(server, path), 202, "Done")
        #expect(try server.rest(id).at("/state") == "succeeded")
        check(try press(server, path), 200, "Done")
        check(try server.get(path, headers: Self.browser), 200, "Done")
        check(try press(server, path, "confirmed=false"), 409, "Answered before")
        // A program gets the same as a document.
        #expect(try server.post(path, "confirmed=false").at("/code") == "callback.taken")
    }

    @Test func `tells in words that it is too late, or unknown`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        // The group is not stopped, so that the URL is always sent.
        let late = #", "timeouts": {"total": "200ms"}, "on_timeout": {"value": false}"#
        let id = try server.submit(
            spec(printer, late).replacing(#""stop_when": "first_failure", "#, with: ""))
        let path = try printer.next()
        var job = try server.rest(id)
        while job.at("/finished_at") == nil {
            job = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=5"])
        }
        check(try server.get(path, headers: Self.browser), 410, "Too late")
        check(try press(server, path), 410, "Too late")
        for unknown in [path + "A", "/callbacks/jcb1_x"] {
            check(try server.get(unknown, headers: Self.browser), 404, "Unknown link")
            check(try press(server, unknown), 404, "Unknown link")
        }
        #expect(try server.get(path + "A").at("/code") == "callback.not_found")
        // Other paths are for programs, whatever they accept.
        let other = try server.get("/v1/nothing", headers: Self.browser)
        #expect(other.field("content-type") == "application/problem+json")
    }

    @Test func `tells in words that a request did not end the wait`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let when = #"{"when": {"at": "/body/state", "equals": "done"}}"#
        let id = try server.submit(spec(printer).replacing(#"{"confirm": true}"#, with: when))
        let answer = try server.post(
            try printer.next(), #"{"state": "begun"}"#,
            headers: ["Content-Type: application/json"] + Self.browser)
        check(answer, 202, "Recorded")
        #expect(try server.rest(id).at("/state") == "waiting")
    }

    @Test func `of a program says that it is for programs`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        _ = try server.submit(spec(printer).replacing(#"{"confirm": true}"#, with: "{}"))
        let path = try printer.next()
        let answer = try server.get(path, headers: Self.browser)
        check(answer, 405, "Not for browsers")
        #expect(answer.field("allow") == "POST")
    }
}
