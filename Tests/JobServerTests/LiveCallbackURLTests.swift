import Foundation
import StrictJSON
import Testing

/// Callback URLs of the real program.
@Suite struct `Live callback URLs` {
    private func spec(_ printer: Printer, _ callback: String = "{}", more: String = "") -> String {
        #"""
        {"type": "group", "stop_when": "first_failure", "operations": [
          {"type": "network", "name": "order", "retry": {"max_attempts": 1}, "request": {"method": "POST",
            "url": "\#(printer.url)", "json": {"file": "a.pdf", "notify_url": {"$callback": "printed"}}}},
          {"type": "await", "name": "printed", "callback": \#(callback)\#(more)}]}
        """#
    }

    private func result(_ server: LiveServer, _ id: String) throws -> LiveServer.Answer {
        try server.get("/v1/jobs/\(id)/operations/printed/result")
    }

    @Test func `end the wait once, with the request as the result`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let id = try server.submit(spec(printer))
        let path = try printer.next()
        #expect(path.hasPrefix("/callbacks/jcb1_"))
        let waiting = try server.rest(id)
        #expect(waiting.at("/waiting_on/0/kind") == "callback")
        #expect(waiting.at("/waiting_on/0/handed_out") == true)
        #expect(try server.get("/v1/jobs?waiting_on.kind=callback").at("/items/0/id") == .string(id))
        let headers = ["Content-Type: text/plain", "Authorization: Bearer js_own", "X-Page: 3"]
        let taken = try server.post("\(path)?page=3", "done", headers: headers)
        #expect(taken.status == 202)
        #expect(taken.field("referrer-policy") == "no-referrer")
        let ended = try server.rest(id)
        #expect(ended.at("/state") == "succeeded")
        let answer = try result(server, id)
        #expect(answer.body == Data("done".utf8))
        #expect(answer.field("content-type")?.hasPrefix("text/plain") == true)
        #expect(try server.post(path, "done", headers: headers).status == 200)
        let other = try server.post(path, "other", headers: headers)
        #expect(other.status == 409)
        #expect(other.at("/code") == "callback.taken")
        #expect(other.at("/instance") == "/callbacks/***")
        let view = try server.get("/v1/jobs/\(id)/operations/printed")
        #expect(view.at("/callback/handed_out") == true)
        #expect(view.at("/callback/calls/0/status") == 409)
    }

    @Test func `give what comes next the method, the query, the fields and the body`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let id = try server.submit(
            #"""
            {"type": "group", "operations": [
              {"type": "network", "name": "order", "request": {"method": "POST", "url": "\#(printer.url)",
                "json": {"notify_url": {"$callback": "printed"}}}},
              {"type": "await", "name": "printed", "callback": {"methods": ["PUT"]}},
              {"type": "value", "name": "seen", "value": {"method": {"$get": "printed", "at": "/method"},
                "page": {"$get": "printed", "at": "/query/page"}, "x": {"$get": "printed", "at": "/headers/x-page"},
                "key": {"$get": "printed", "at": "/headers/authorization", "default": "none"},
                "n": {"$get": "printed", "at": "/body/n"}}}]}
            """#)
        let path = try printer.next()
        #expect(try server.post(path, "{}").status == 405)
        let headers = ["X-Page: 4", "Authorization: Bearer js_own"]
        #expect(try server.send("PUT", "\(path)?page=3", headers: headers, body: #"{"n": 1}"#).status == 202)
        #expect(try server.rest(id).at("/state") == "succeeded")
        let seen = try server.get("/v1/jobs/\(id)/operations/seen/result").json
        let expected = #"{"method": "PUT", "page": "3", "x": "4", "key": "none", "n": 1}"#
        let value = try JSONParser.parse(Array(expected.utf8))
        #expect(seen == value)
    }

    @Test func `of others are refused, and a GET changes nothing`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let id = try server.submit(spec(printer))
        let path = try printer.next()
        for forged in [path + "A", String(path.dropLast(2)) + "AA", "/callbacks/jcb1_", "/callbacks/x"] {
            for place in ["", "/heartbeat", "/progress", "/fail"] {
                let answer = try server.post(forged + place, "{}")
                #expect(answer.status == 404)
                #expect(answer.at("/code") == "callback.not_found")
            }
        }
        #expect(try server.get(path).status == 405)
        #expect(try server.send("HEAD", path).status == 405)
        #expect(try server.rest(id).at("/state") == "waiting")
        #expect(try server.post(path, "{}").status == 202)
        #expect(try server.rest(id).at("/state") == "succeeded")
    }

    @Test func `count only what meets when, and show what did not`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let id = try server.submit(
            spec(printer, #"{"when": {"at": "/body/state", "equals": "done"}, "max_bytes": 100}"#))
        let path = try printer.next()
        #expect(try server.post(path, #"{"state": "printing"}"#).at("/status") == "ignored")
        #expect(try server.post(path, #"{"state": "\#(String(repeating: "x", count: 200))"}"#).status == 413)
        #expect(
            try server.post("\(path)/progress", #"{"done": 3, "total": 10, "unit": "pages"}"#).status == 202)
        #expect(try server.post("\(path)/progress", #"{"done": "a lot"}"#).status == 400)
        let why = try server.get("/v1/jobs/\(id)/explain")
        let printed = why.at("/operations")?.array?.first { $0.object?["operation"] == "printed" }
        let callback = printed?.object?["callback"]?.object
        #expect(callback?["handed_out"] == true)
        #expect(why.at("/waiting_on/0/handed_out") == true)
        #expect(callback?["progress"]?.object?["done"] == 3)
        #expect(callback?["calls"]?.array?.map { $0.object?["status"] } == [202, 413, 400])
        #expect(try server.post(path, #"{"state": "done"}"#).at("/status") == "taken")
        #expect(try server.post(path, #"{"state": "done", "again": true}"#).status == 409)
        #expect(try server.rest(id).at("/state") == "succeeded")
        #expect(try result(server, id).at("/state") == "done")
    }

    @Test func `take a failure with its code`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let id = try server.submit(spec(printer))
        let path = try printer.next()
        let body = #"{"code": "paper_jam", "detail": "Tray 2."}"#
        #expect(try server.post("\(path)/fail", body).status == 202)
        let job = try server.rest(id)
        #expect(job.at("/state") == "failed")
        #expect(job.at("/error/code") == "callback.failed")
        #expect(job.at("/error/detail")?.string?.contains("paper_jam") == true)
        #expect(try server.post("\(path)/fail", body).status == 200)
        #expect(try server.post(path, "{}").status == 409)
    }

    @Test func `answer 410 when the wait ended without a request`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let late = #", "timeouts": {"total": "300ms"}, "on_timeout": {"value": "nothing"}"#
        let id = try server.submit(spec(printer, more: late))
        let path = try printer.next()
        var job = try server.rest(id)
        while job.at("/state") == "waiting" {
            job = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=5"])
        }
        #expect(job.at("/state") == "succeeded")
        #expect(try result(server, id).json == "nothing")
        let answer = try server.post(path, "{}")
        #expect(answer.status == 410)
        #expect(answer.at("/code") == "callback.over")
    }

    @Test func `stay open while the sender is heard of, and end in silence`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let id = try server.submit(spec(printer, #"{"heartbeat": "2s"}"#))
        let path = try printer.next()
        let start = ContinuousClock.now
        for _ in 1...4 {
            usleep(700_000)
            #expect(try server.post("\(path)/heartbeat").status == 202)
        }
        #expect(try server.get("/v1/jobs/\(id)").at("/state") != "failed")
        var job = try server.rest(id)
        while job.at("/finished_at") == nil {
            job = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=5"])
        }
        #expect(job.at("/error/code") == "callback.silent")
        #expect(start.duration(to: .now) > .seconds(4))
        #expect(try server.post(path, "{}").status == 410)
    }

    @Test func `that are called before the wait begins lose nothing, also when the server is killed`() throws
    {
        let printer = Printer()
        defer { printer.stop() }
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let server = try LiveProgram(LiveCallbackURLs.flags, directory: home)
        let id = try server.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
              {"type": "network", "name": "order", "request": {"method": "POST", "url": "\#(printer.url)",
                "json": {"notify_url": {"$callback": "printed"}}}},
              {"type": "delay", "name": "pause", "for": "3s"},
              {"type": "await", "name": "printed", "callback": {}}]}
            """#)
        let path = try printer.next()
        #expect(try server.post(path, #"{"early": true}"#).status == 202)
        _ = server.stop(SIGKILL)
        let again = try LiveProgram(LiveCallbackURLs.flags, directory: home)
        #expect(try again.post(path, #"{"early": true}"#).status == 200)
        #expect(try again.post(path, #"{"early": false}"#).status == 409)
        var job = try again.rest(id)
        while job.at("/finished_at") == nil {
            job = try again.get("/v1/jobs/\(id)", headers: ["Prefer: wait=5"])
        }
        #expect(job.at("/state") == "succeeded")
        #expect(try result(again, id).at("/early") == true)
        _ = again.stop(SIGTERM)
        // What the files say of the token, in each of its readings.
        let token = Array(path.dropFirst("/callbacks/".count).utf8)
        for file in try FileManager.default.subpathsOfDirectory(atPath: home.path) {
            guard let content = FileManager.default.contents(atPath: home.appending(path: file).path) else {
                continue
            }
            #expect(content.range(of: Data(token)) == nil, "\(file) has the token")
        }
    }

    @Test func `take a large body as an artifact`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let id = try server.submit(spec(printer, #"{"max_bytes": 2000000}"#))
        let path = try printer.next()
        let large = String(repeating: "0123456789", count: 100_000)
        let more = ["Content-Type: text/csv"]
        #expect(try server.post(path, large + large + "!", headers: more).status == 413)
        #expect(try server.post(path, large, headers: more).status == 202)
        #expect(try server.rest(id).at("/state") == "succeeded")
        let answer = try result(server, id)
        #expect(answer.body.count == 1_000_000)
        #expect(try server.post(path, large, headers: more).status == 200)
        #expect(try server.get("/v1/jobs/\(id)/artifacts").at("/items/0/bytes") == 1_000_000)
    }

    @Test func `ask a person before they do anything`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let id = try server.submit(spec(printer, #"{"confirm": true}"#))
        let path = try printer.next()
        let page = try server.get(path, headers: ["Accept: text/html"])
        #expect(page.status == 200)
        #expect(page.field("content-type")?.hasPrefix("text/html") == true)
        #expect(page.field("referrer-policy") == "no-referrer")
        #expect(String(decoding: page.body, as: UTF8.self).contains("<button>"))
        #expect(!String(decoding: page.body, as: UTF8.self).contains("jcb1_"))
        #expect(try server.rest(id).at("/state") == "waiting")
        let form = ["Content-Type: application/x-www-form-urlencoded", "Origin: null", "Accept: text/html"]
        #expect(try server.post(path, "confirmed=true", headers: form).status == 202)
        #expect(try server.rest(id).at("/state") == "succeeded")
        #expect(String(decoding: try server.get(path).body, as: UTF8.self).contains("was confirmed"))
    }

    @Test func `ask for the signature of the sender`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        #expect(
            try server.send("PUT", "/v1/secrets/print-hook", body: #"{"text": "s3cret-key"}"#).status == 201)
        let rules = #"{"verify": {"scheme": "bearer", "token": {"$secret": "print-hook"}}}"#
        let id = try server.submit(spec(printer, rules))
        let path = try printer.next()
        #expect(try server.post(path, "{}").status == 401)
        #expect(try server.post(path, "{}", headers: ["Authorization: Bearer other"]).status == 401)
        #expect(try server.post("\(path)/fail", "{}").status == 401)
        #expect(try server.post(path, "{}", headers: ["Authorization: Bearer s3cret-key"]).status == 202)
        #expect(try server.rest(id).at("/state") == "succeeded")
        let view = try server.get("/v1/jobs/\(id)/operations/printed")
        #expect(view.at("/callback/other_calls") == 3)
    }

    @Test func `are others in each run of a repeat, and after a retry that sends the request again`() throws {
        let printer = Printer(status: "500 Broken")
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let id = try server.submit(spec(printer))
        let first = try printer.next()
        #expect(try server.rest(id).at("/state") == "failed")
        #expect(try server.post(first, "{}").status == 410)
        #expect(try server.post("/v1/jobs/\(id):retry", "{}").status == 202)
        let second = try printer.next()
        #expect(second != first)
        let good = Printer()
        defer { good.stop() }
        let loop = try server.submit(
            #"""
            {"type": "repeat", "max_runs": 2, "every": "10ms", "operation": \#(spec(good))}
            """#)
        let one = try good.next()
        #expect(try server.post(one, "{}").status == 202)
        let two = try good.next()
        #expect(one != two)
        #expect(try server.post(one, #"{"old": 1}"#).status == 409)
        #expect(try server.post(two, "{}").status == 202)
        #expect(try server.rest(loop).at("/state") == "succeeded")
    }

    @Test func `stay valid after a retry that keeps the request`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags)
        let id = try server.submit(spec(printer, more: #", "timeouts": {"total": "200ms"}"#))
        let path = try printer.next()
        var job = try server.rest(id)
        while job.at("/finished_at") == nil {
            job = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=5"])
        }
        #expect(job.at("/error/code") == "timeout.total")
        #expect(try server.post(path, "{}").status == 410)
        #expect(try server.post("/v1/jobs/\(id):hold", "{}").status == 409)
        #expect(try server.post("/v1/jobs/\(id):retry", "{}").status == 202)
        #expect([202, 410].contains(try server.post(path, "{}").status))
    }

    @Test func `are shown nowhere`() throws {
        let printer = Printer()
        defer { printer.stop() }
        let server = try LiveServer(LiveCallbackURLs.flags + ["--access-log", "--log-level", "debug"])
        let id = try server.submit(spec(printer))
        let path = try printer.next()
        #expect(try server.post("\(path)/heartbeat").status == 202)
        #expect(try server.post(path, "{}").status == 202)
        #expect(try server.rest(id).at("/state") == "succeeded")
        let token = String(path.dropFirst("/callbacks/".count))
        let job = "/v1/jobs/\(id)"
        let paths = [
            job, "\(job)?view=full", "\(job)/spec", "\(job)/explain", "\(job)/operations?view=full",
            "\(job)/operations/order", "\(job)/operations/order/result", "\(job)/operations/printed",
            "\(job)/operations/printed/result", "\(job)/attempts", "\(job)/attempts?format=har",
            "\(job)/events", "/v1/audit", "/metrics", "/v1/jobs?view=full", "/v1/artifacts",
        ]
        for path in paths {
            let answer = try server.get(path)
            #expect(!String(decoding: answer.body, as: UTF8.self).contains(token), "\(path) shows the token")
        }
        // What the upstream said of it.
        #expect(
            try server.get("\(job)/operations/order/result").at("/notify_url")
                == "https://callbacks.example/callbacks/***")
        let log = try String(contentsOf: server.directory.appending(path: "errors"), encoding: .utf8)
        #expect(log.contains("/callbacks/***"))
        #expect(!log.contains(token))
    }

    @Test func `need to know where the server is reached, and an operation that waits`() throws {
        let server = try LiveServer()
        let printer = Printer()
        defer { printer.stop() }
        let refused = try server.post("/v1/jobs", spec(printer))
        #expect(refused.status == 422)
        #expect(refused.at("/errors/0/pointer") == "/operations/0/request/json/notify_url/$callback")
        #expect(refused.at("/detail")?.string?.contains("--public-url") == true)
        let hook = try server.hook("print", #""job": \#(spec(printer))"#)
        #expect(hook.status == 422)
        #expect(
            hook.at("/errors/0/pointer") == "/job/operations/0/request/json/notify_url/$callback",
            "\(hook.json)")
        let other = try LiveServer(LiveCallbackURLs.flags)
        #expect(try other.hook("print", #""job": \#(spec(printer))"#).status == 201)
        func problem(_ spec: String) throws -> LiveServer.Answer { try other.post("/v1/jobs", spec) }
        let typo = spec(printer).replacing(#""$callback": "printed""#, with: #""$callback": "printd""#)
        #expect(try problem(typo).at("/errors/0/suggestion") == "printed")
        let plain = spec(printer).replacing(#""callback": {}"#, with: #""signal": "printed""#)
        #expect(try problem(plain).at("/errors/0/detail")?.string?.contains("no callback URL") == true)
        let both = spec(printer).replacing(#""callback": {}"#, with: #""callback": {}, "signal": "x""#)
        #expect(try problem(both).status == 422)
        let alone = try problem(#"{"type": "await", "run_at": "1h", "callback": {}}"#)
        #expect(alone.at("/warnings/0/code") == "warning.callback_not_handed_out")
        #expect(try problem(#"{"type": "await", "callback": {"methods": ["GET"]}}"#).status == 422)
    }

    @Test func `take no place in a label or another part that is stored and shown`() throws {
        let server = try LiveServer(LiveCallbackURLs.flags)
        let spec = #"""
            {"type": "group", "operations": [{"type": "value", "name": "v", "value": {"$callback": "w"}},
              {"type": "await", "name": "w", "callback": {}}]}
            """#
        let answer = try server.post("/v1/jobs", spec)
        #expect(answer.status == 422)
        #expect(answer.at("/errors/0/code") == "spec.not_available")
    }
}

@Suite struct `A signal of another type` {
    @Test func `is the result with its type`() throws {
        let server = try LiveServer()
        let id = try server.submit(#"{"type": "await", "signal": "report"}"#)
        let path = "/v1/jobs/\(id)/signals/report"
        #expect(try server.post(path, "a;b", headers: ["Content-Type: text/csv"]).status == 202)
        #expect(try server.rest(id).at("/state") == "succeeded")
        let answer = try server.get("/v1/jobs/\(id)/result")
        #expect(answer.body == Data("a;b".utf8))
        #expect(answer.field("content-type")?.hasPrefix("text/csv") == true)
    }
}
