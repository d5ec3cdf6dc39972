import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// The rules of callback URLs, on each of their paths.
@Suite struct `Requests to callback URLs` {
    private func spec(_ printer: Printer, _ callback: String) -> String {
        #"""
        {"type": "group", "stop_when": "first_failure", "operations": [
          {"type": "network", "name": "order", "request": {"method": "POST", "url": "\#(printer.url)",
            "json": {"notify_url": {"$callback": "printed"}}}},
          {"type": "await", "name": "printed", "callback": \#(callback)}]}
        """#
    }

    @Test func `are verified on each path, whatever methods says`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let verify = #"{"scheme": "github", "key": {"$secret": "print-hook"}}"#
        #expect(
            try server.send(
                "PUT", "/v1/secrets/print-hook", body: #"{"text": "0123456789abcdef0123456789abcdef"}"#
            ).status == 201)
        let id = try server.submit(spec(printer, #"{"methods": ["PUT"], "verify": \#(verify)}"#))
        let path = try printer.next()
        for place in ["heartbeat", "progress", "fail"] {
            let answer = try server.post("\(path)/\(place)", #"{"done": 1}"#)
            #expect(answer.status == 401, "\(place)")
            #expect(answer.field("www-authenticate")?.hasPrefix("Signature") == true)
        }
        #expect(try server.rest(id).at("/state") == "waiting")
        // Without its key nothing can be verified, and outsiders do not learn its name.
        #expect(try server.send("DELETE", "/v1/secrets/print-hook").status == 204)
        let answer = try server.post("\(path)/fail", "{}")
        #expect(answer.status == 503)
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("print-hook"))
    }

    @Test func `that do not match are refused once the wait has ended`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let id = try server.submit(spec(printer, #"{"when": {"at": "/body/state", "equals": "done"}}"#))
        let path = try printer.next()
        #expect(try server.post(path, #"{"state": "printing"}"#).at("/status") == "ignored")
        #expect(try server.post(path, #"{"state": "done"}"#).at("/status") == "taken")
        #expect(try server.rest(id).at("/state") == "succeeded")
        #expect(try server.post(path, #"{"state": "printing"}"#).status == 409)
    }

    @Test func `hide the URL in a reported failure`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let id = try server.submit(spec(printer, "{}"))
        let path = try printer.next()
        let token = String(path.split(separator: "/").last ?? "")
        let body = #"{"code": "timeout", "detail": "POST \#(path) timed out"}"#
        #expect(try server.post("\(path)/fail", body).status == 202)
        #expect(try server.rest(id).at("/state") == "failed")
        for shown in ["", "/events", "/explain", "/attempts"] {
            let answer = try server.get("/v1/jobs/\(id)\(shown)")
            #expect(!String(decoding: answer.body, as: UTF8.self).contains(token), "\(shown)")
        }
    }

    @Test func `reach the members of a map over lines also after a retry, and those that are done`() throws {
        let printer = Printer()
        let list = FaultServer { connection, _ in
            while connection.readRequest() != nil { connection.answer("1\n2\n") }
        }
        defer {
            printer.stop()
            list.stop()
        }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let spec = #"""
            {"type": "group", "operations": [
              {"type": "network", "name": "lines", "request": "\#(list.url("/list"))"},
              {"type": "group", "name": "all", "map": {"items": {"$lines": "lines"}, "operation":
                {"type": "group", "stop_when": "first_failure", "operations": [
                  {"type": "network", "name": "order", "request": {"method": "POST", "url": "\#(printer.url)",
                    "json": {"notify_url": {"$callback": "printed"}}}},
                  {"type": "await", "name": "printed", "callback": {}}]}}}]}
            """#
        let id = try server.submit(spec)
        let paths = [try printer.next(), try printer.next()]
        #expect(try server.post(paths[0], #"{"n": 0}"#).at("/status") == "taken")
        #expect(try server.post("\(paths[1])/fail", #"{"code": "jam"}"#).at("/status") == "taken")
        var job = try server.rest(id)
        while job.at("/finished_at") == nil {
            job = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=5"])
        }
        #expect(job.at("/state") == "failed")
        #expect(try server.post("/v1/jobs/\(id):retry", "{}").status == 202)
        #expect(try server.post(paths[0], #"{"n": 0}"#).status == 200)
        #expect(try server.post(paths[0], #"{"n": 9}"#).status == 409)
        #expect(try server.post(paths[1], #"{"n": 1}"#).at("/status") == "taken")
        #expect(try server.rest(id).at("/state") == "succeeded")
        #expect(try server.post(paths[1], #"{"n": 1}"#).status == 200)
    }

    @Test func `at another address are told so, without their token`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        _ = try server.submit(spec(printer, "{}"))
        let token = String(try printer.next().split(separator: "/").last ?? "")
        for path in ["/\(token)", "/callback/\(token)", "/v1/jobs/\(token)", "/hooks/\(token)/x"] {
            for escaped in [path, path.replacing("jcb1_", with: "jcb1%5f")] {
                let answer = try server.post(escaped, "{}")
                #expect(answer.status == 404)
                #expect(answer.at("/code") == "callback.not_found")
                #expect(answer.body.range(of: Data(token.utf8.dropFirst(9).prefix(30))) == nil)
            }
        }
    }

    @Test func `of signs of life in quick succession are answered, and change the row once`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let id = try server.submit(spec(printer, #"{"heartbeat": "1h"}"#))
        let path = try printer.next()
        func heard() throws -> JSONValue? {
            try server.get("/v1/jobs/\(id)/operations/printed").at("/callback/heard_at")
        }
        #expect(try server.post("\(path)/heartbeat").status == 202)
        let first = try heard()
        #expect(first != nil)
        for _ in 0..<5 { #expect(try server.post("\(path)/heartbeat").at("/status") == "noted") }
        #expect(try heard() == first)
        // What is news is stored at once.
        #expect(try server.post("\(path)/progress", #"{"done": 3}"#).status == 202)
        let view = try server.get("/v1/jobs/\(id)/operations/printed")
        #expect(view.at("/callback/progress/done") == 3)
        #expect(view.at("/callback/heard_at") != first)
    }

    @Test func `by a button have no content to look at`() throws {
        let server = try LiveServer(LiveCallbackURLs.flags)
        let refused = try server.post(
            "/v1/jobs?validate_only",
            #"{"type": "await", "callback": {"confirm": true, "when": {"at": "/body/a", "equals": 1}}}"#)
        #expect(refused.status == 422)
        #expect(refused.at("/errors/0/pointer") == "/callback/when")
    }
}
