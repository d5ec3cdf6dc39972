import FaultyHTTP
import Foundation
import StrictJSON
import Synchronization
import Testing

/// Origins that hold calls back, in the real program.
@Suite(.serialized) struct `A live origin` {
    /// Answers 429 with a pause until told otherwise, then 200.
    private final class Moody: Sendable {
        let server: FaultServer
        private let mood: Shared

        private struct Mood {
            var status: String
            var fields: String
        }

        private final class Shared: Sendable {
            private let mood: Mutex<Mood>
            init(_ mood: Mood) { self.mood = Mutex(mood) }
            var value: Mood {
                get { mood.withLock { $0 } }
                set { mood.withLock { $0 = newValue } }
            }
        }

        init(_ status: String, _ fields: String = "") {
            let mood = Shared(Mood(status: status, fields: fields))
            self.mood = mood
            server = FaultServer { connection, _ in
                while connection.readRequest() != nil {
                    let now = mood.value
                    if now.status.isEmpty { return }
                    connection.answer("{}", status: now.status, fields: now.fields)
                }
            }
        }

        func change(_ status: String) { mood.value = Mood(status: status, fields: "") }
        deinit { server.stop() }
    }

    private func call(_ target: FaultServer, attempts: Int = 1) -> String {
        #"{"type": "network", "name": "call", "request": "\#(target.url("/x"))", "retry": {"max_attempts": \#(attempts)}}"#
    }

    /// The path of the limits of a host.
    private func limits(_ host: String) -> String { "/v1/hosts/\(host)/limits" }

    /// The name of the upstream of a test in the API.
    private func host(_ url: String) -> String {
        url.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    }

    @Test func `stays paused over a restart, until it is reset`() throws {
        let moody = Moody("503 Service Unavailable", "Retry-After: 600\r\n")
        let directory = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = "/v1/origins/http://\(host(moody.server.url()))"
        do {
            let server = try LiveProgram(directory: directory)
            _ = try server.rest(server.submit(call(moody.server)))
            #expect(try server.get(path).at("/state") == "cooling_down")
            #expect(server.stop() == 0)
        }
        do {
            let server = try LiveProgram(directory: directory)
            let shown = try server.get(path)
            #expect(shown.at("/state") == "cooling_down")
            #expect(shown.at("/until") != nil)
            let held = try server.submit(call(moody.server))
            #expect(try server.rest(held).at("/waiting_on/0/kind") == "origin")
            #expect(moody.server.requests.count == 1)
            moody.change("200 OK")
            #expect(try server.post("\(path):reset").status == 200)
            #expect(try server.get("/v1/jobs/\(held)", headers: ["Prefer: wait=20"]).at("/done") == true)
            #expect(server.stop() == 0)
        }
        let server = try LiveProgram(directory: directory)
        #expect(try server.get(path).at("/state") != "cooling_down")
    }

    @Test func `with limits has no more calls at once, however many jobs call it`() async throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/data", .held(.status(200)))
        let server = try LiveServer()
        let path = limits(host(url))
        let origin = "/v1/origins/http%3A%2F%2F\(host(url))"
        let new = try server.send("PUT", path, body: #"{"concurrency":2}"#)
        #expect(new.status == 201 && new.field("location") == path)
        #expect(new.at("/spec/concurrency") == 2)
        #expect(try server.get(path).field("cache-control") == "no-cache")
        var jobs: [String] = []
        for _ in 0..<7 { jobs.append(try server.submit(#"{"type":"network","request":"\#(url)"}"#)) }
        await upstream.waitForCalls(of: "/data", 2)
        let latest = Date(timeIntervalSinceNow: 20)
        while try server.get(origin).at("/waiting") != 5, Date() < latest { usleep(20_000) }
        let shown = try server.get(origin)
        #expect(shown.at("/in_flight") == 2)
        #expect(shown.at("/waiting") == 5)
        #expect(upstream.count(of: "/data") == 2)
        upstream.release("/data")
        for job in jobs {
            var state = try server.get("/v1/jobs/\(job)")
            for _ in 0..<4 where state.at("/done") != true {
                state = try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=9"])
            }
            #expect(state.at("/state") == "succeeded")
            #expect(state.at("/attempt") == 1)
        }
        #expect(upstream.mostAtOnce(of: "/data") == 2)
        #expect(try server.send("DELETE", path).status == 204)
        #expect(try server.send("DELETE", path).status == 404)
    }

    @Test func `with a rate gets its calls one after another, and limits outlive a restart`() throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/data", .status(200))
        let directory = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = limits(host(url))
        do {
            let server = try LiveProgram(directory: directory)
            let body = #"{"rate":{"count":1,"per":"1h"}}"#
            #expect(
                try server.send("PUT", path, headers: ["If-None-Match: *"], body: body).field("etag")
                    == "\"1\"")
            #expect(server.stop() == 0)
        }
        let server = try LiveProgram(directory: directory)
        #expect(try server.get(path).at("/spec/rate/count") == 1)
        let first = try server.submit(#"{"type":"network","request":"\#(url)"}"#)
        #expect(try server.rest(first).at("/state") == "succeeded")
        let second = try server.submit(#"{"type":"network","request":"\#(url)"}"#)
        let waiting = try server.rest(second)
        #expect(waiting.at("/state") == "waiting")
        #expect(waiting.at("/attempt") == 0)
        let detail = waiting.at("/waiting_on/0/detail")?.string ?? ""
        #expect(detail.contains("has begun as many calls as its limit lets: 1 in 1h"), "\(detail)")
        #expect(upstream.count(of: "/data") == 1)
    }

    @Test(arguments: [
        (#"{"concurrency":0}"#, "/concurrency", "1 to 1000000"),
        (#"{"rate":5}"#, "/rate", "Expected an object, not a number."),
        (#"{"order":"fair"}"#, "/order", "There are: concurrency, rate."),
        ("7", "", "Expected an object, not a number."),
    ])
    func `says what is wrong with limits`(_ body: String, _ pointer: String, _ words: String) throws {
        let server = try LiveServer()
        let answer = try server.send("PUT", limits("api.example"), body: body)
        #expect(answer.status == 422)
        #expect(answer.at("/errors/0/pointer")?.string == pointer)
        #expect(answer.at("/errors/0/detail")?.string?.contains(words) == true, "\(answer.json)")
        #expect(try server.get(limits("api.example")).status == 404)
    }

    @Test func `that requested a pause gets no calls before its end, and shows it everywhere`() throws {
        let target = Moody("429 Slow", "Retry-After: 300\r\n")
        let server = try LiveServer()
        let refused = try server.post("/v1/jobs", call(target.server), headers: ["Prefer: wait=20"])
        #expect(refused.at("/error/upstream/status") == 429)
        let waiting = try server.submit(call(target.server))
        let job = try server.rest(waiting)
        #expect(job.at("/state") == "waiting")
        #expect(job.at("/attempt") == 0)
        #expect(job.at("/waiting_on/0/kind") == "origin")
        #expect(job.at("/waiting_on/0/origin")?.string == target.server.url(""))
        #expect(
            job.at("/waiting_on/0/detail")?.string?.contains("answered 429 and asked for a pause") == true)
        #expect(job.at("/waiting_on/0/estimated_until") != nil)
        let explained = try server.get("/v1/jobs/\(waiting)/explain")
        #expect(explained.at("/waiting_on/0/kind") == "origin")
        #expect(explained.at("/next")?.string?.contains(":reset") == true)
        #expect(target.server.requests.count == 1)

        let host = "127.0.0.1:\(target.server.port)"
        let shown = try server.get("/v1/origins/http://\(host)")
        #expect(shown.at("/state") == "cooling_down")
        #expect(shown.at("/until") != nil)
        #expect(try server.get("/v1/origins?host=\(host)").at("/total") == 1)
        #expect(try server.get("/v1/origins?host=other.example").at("/total") == 0)
        let other = try server.get("/v1/origins/https://\(host)")
        #expect(other.status == 404)
        #expect(other.at("/detail")?.string?.contains("there are: http://\(host)") == true)
        #expect(try server.get("/v1/origins").at("/items/0/origin")?.string == target.server.url(""))
        #expect(try server.get("/v1/origins?state=broken").at("/items") == [])

        target.change("200 OK")
        let reset = try server.post("/v1/origins/http://\(host):reset")
        #expect(reset.status == 200)
        #expect(reset.at("/jobs_woken") == 1)
        #expect(reset.at("/state") == "open")
        let done = try server.get("/v1/jobs/\(waiting)", headers: ["Prefer: wait=20"])
        #expect(done.at("/state") == "succeeded")
        #expect(done.at("/attempt") == 1)
    }

    @Test func `that comes back after its pause is called by itself`() throws {
        let target = Moody("503 Busy", "RateLimit: \"default\";r=0;t=2\r\n")
        let server = try LiveServer()
        _ = try server.post("/v1/jobs", call(target.server), headers: ["Prefer: wait=20"])
        target.change("200 OK")
        let began = ContinuousClock.now
        let jobs = try (0..<5).map { _ in try server.submit(call(target.server)) }
        for job in jobs {
            let done = try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=20"])
            #expect(done.at("/state") == "succeeded")
            #expect(done.at("/attempt") == 1)
        }
        #expect(ContinuousClock.now - began >= .milliseconds(900))
        #expect(target.server.requests.count == 6)
    }

    @Test func `that fails gets no calls, and a job that waits for it survives a restart`() throws {
        let target = Moody("")
        let directory = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        var server: LiveProgram? = try LiveProgram(directory: directory)
        for _ in 0..<20 {
            _ = try server?.post("/v1/jobs", call(target.server), headers: ["Prefer: wait=20"])
        }
        let before = target.server.requests.count
        let host = "127.0.0.1:\(target.server.port)"
        #expect(try server?.get("/v1/origins/http://\(host)").at("/state") == "broken")
        let waiting = try #require(try server?.submit(call(target.server)))
        #expect(try server?.rest(waiting).at("/waiting_on/0/kind") == "origin")
        #expect(target.server.requests.count == before)
        #expect(server?.stop() == 0)
        server = try LiveProgram(directory: directory)
        #expect(try server?.get("/v1/jobs/\(waiting)").at("/waiting_on/0/kind") == "origin")
        #expect(try server?.get("/v1/origins/http://\(host)").at("/state") == "broken")
        #expect(try server?.send("POST", "/v1/jobs/\(waiting):cancel").at("/state") == "cancelled")
    }

    @Test func `holds back no call when the guards are off, and unknown guards are refused`() throws {
        let target = Moody("429 Slow", "Retry-After: 300\r\n")
        let server = try LiveServer(["--origin-guards", "none"])
        for _ in 0..<3 {
            let ended = try server.post("/v1/jobs", call(target.server), headers: ["Prefer: wait=20"])
            #expect(ended.at("/state") == "failed")
        }
        #expect(target.server.requests.count == 3)
        let wrong = try LiveServer.command(["serve", "--origin-guards", "brakes"])
        #expect(wrong.code == 2)
        #expect(wrong.errors.contains("cool-down,breaker,retry-budget"))
    }

    @Test func `is the one that is named, however its name is written`() throws {
        let server = try LiveServer()
        let labels = [String](repeating: "a", count: 90)
        let written = labels.map { _ in "%61" }.joined(separator: ".") + ".example"
        let limit = #"{"concurrency": 1}"#
        #expect(try server.send("PUT", limits(written), body: limit).status == 201)
        let whole = labels.joined(separator: ".") + ".example"
        #expect(try server.get(limits(whole)).at("/name")?.string == whole)
        #expect(try server.get(limits(labels.prefix(75).joined(separator: "."))).status == 404)
        let long = try server.send(
            "PUT", limits(String(repeating: "a.", count: 500) + "a"), body: limit)
        #expect(long.status == 404)
        #expect(long.at("/detail")?.string?.contains("too long") == true, "\(long.json)")
    }

    @Test func `without calls is unknown`() throws {
        let server = try LiveServer()
        let paths = ["/v1/origins/a.example", "/v1/origins/https://a.example:99", "/v1/origins/a%20b"]
        for path in paths + [limits("a.example"), limits("a%20b")] {
            let answer = try server.get(path)
            #expect(answer.status == 404)
            #expect(answer.at("/code") == "origin.not_found")
        }
        #expect(try server.post("/v1/origins/a.example:reset").status == 404)
        #expect(try server.get("/v1/origins?state=opne").at("/errors/0/suggestion") == "open")
        #expect(try server.send("DELETE", limits("a.example")).status == 404)
    }
}
