import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// Statistics, failures and filters by calls, in the real program.
@Suite(.serialized) struct `Live statistics` {
    private let upstream = FaultServer { connection, _ in
        while let request = connection.readRequest() {
            let isWell = request.contains("/well")
            connection.answer(
                isWell ? "{}" : "card_declined", status: isWell ? "200 OK" : "500 Internal Server Error")
        }
    }

    /// The address without the scheme.
    private var host: String { String(upstream.url("").dropFirst("http://".count)) }

    /// Submits calls and waits for their ends.
    private func call(_ path: String, _ name: String, _ count: Int, _ server: LiveServer) throws -> [String] {
        try (0..<count).map { _ in
            let spec = #"""
                {"type": "network", "name": "\#(name)", "request": {"method": "POST", "url": "\#(upstream.url(path))"},
                 "retry": {"max_attempts": 1}}
                """#
            let answer = try server.post("/v1/jobs", spec, headers: ["Prefer: wait=20"])
            #expect(answer.at("/done") == true, "\(answer.json)")
            return try #require(answer.at("/id")?.string)
        }
    }

    /// The answer as soon as it counts so many ends.
    private func counted(_ count: Int, _ pointer: String, _ path: String, _ server: LiveServer) throws
        -> LiveServer.Answer
    {
        let latest = Date(timeIntervalSinceNow: 20)
        var answer = try server.get(path)
        while answer.at(pointer)?.number?.int != count, Date() < latest {
            usleep(100_000)
            answer = try server.get(path)
        }
        #expect(answer.at(pointer)?.number?.int == count, "\(answer.json)")
        return answer
    }

    @Test func `count ends in groups, and name what fails with its retry`() throws {
        defer { upstream.stop() }
        let server = try LiveServer()
        let failed = try call("/v2/charge?key=1", "charge", 3, server)
        _ = try call("/well", "fetch", 2, server)
        let stats = try counted(5, "/total/count", "/v1/stats?by=host", server)
        #expect(stats.at("/total/failed") == 3)
        #expect(stats.at("/groups/0/value")?.string == host)
        #expect(stats.at("/groups/0/count") == 5)
        #expect(stats.at("/points")?.array?.count == stats.at("/groups/0/counts")?.array?.count)
        #expect(stats.at("/total/duration_ms/p95") != nil)
        let states = try server.get("/v1/stats")
        #expect(states.at("/groups/0/value") == "failed" && states.at("/groups/1/value") == "succeeded")

        let failures = try server.get("/v1/failures")
        #expect(failures.at("/count") == 3)
        let group = "/groups/0"
        #expect(failures.at("\(group)/code") == "http.status")
        #expect(failures.at("\(group)/host")?.string == host)
        #expect(failures.at("\(group)/name") == "charge")
        #expect(failures.at("\(group)/jobs")?.array?.compactMap(\.string) == failed.reversed())
        #expect(failures.at("\(group)/newest/message") == "card_declined")
        #expect(failures.at("\(group)/newest/status") == 500)
        #expect(failures.at("\(group)/newest/url")?.string == upstream.url("/v2/charge"))
        let retry = try #require(failures.at("\(group)/retry"))
        let body = String(decoding: retry.encoded(), as: UTF8.self)
        let preview = try server.post("/v1/bulk-actions?validate_only=true", body)
        #expect(preview.at("/count") == 3, "\(preview.json)")
        #expect(try server.get("/v1/failures?name=other").at("/groups")?.array?.isEmpty == true)
    }

    @Test func `find jobs by the call that failed them`() throws {
        defer { upstream.stop() }
        let server = try LiveServer()
        let failed = try call("/v2/charge", "charge", 1, server)
        let well = try call("/well", "fetch", 1, server)
        func ids(_ filter: String) throws -> [String] {
            let answer = try server.get("/v1/jobs?" + filter)
            #expect(answer.status == 200, "\(answer.json)")
            return (answer.at("/items")?.array ?? []).compactMap { $0.object?["id"]?.string }
        }
        #expect(try ids("host=\(host)&status=500&method=POST") == failed)
        #expect(try ids("url_prefix=\(upstream.url("/v2/"))") == failed)
        #expect(try ids("url_prefix=\(upstream.url("/v3/"))").isEmpty)
        #expect(try ids("status=404").isEmpty)
        #expect(try server.get("/v1/jobs/\(well[0])").at("/call/method") == "POST")
        let wrong = try server.get("/v1/jobs?url_prefix=api&status=5")
        #expect(wrong.status == 400)
        #expect(wrong.at("/errors")?.array?.count == 2, "\(wrong.json)")
        let listed = try server.client("list", "--host", host, "--ids")
        #expect(listed.output == failed[0] + "\n")
    }

    @Test func `have the URL that a member of a map sent, without its secrets`() throws {
        defer { upstream.stop() }
        let server = try LiveServer()
        #expect(try server.send("PUT", "/v1/secrets/hook", body: #"{"text":"open sesame"}"#).status == 201)
        let spec = #"""
            {"type": "group", "map": {"items": ["well", "7"], "operation": {
              "type": "network", "retry": {"max_attempts": 1}, "request": {
                "url": "\#(upstream.url("/v2"))/{item}/{hook}{?page}",
                "vars": {"item": {"$item": ""}, "hook": {"$secret": "hook"}, "page": 1}}}}}
            """#
        let job = try server.post("/v1/jobs", spec, headers: ["Prefer: wait=20"])
        #expect(job.at("/state") == "failed")
        #expect(upstream.requests.contains { $0.hasPrefix("GET /v2/7/open%20sesame?page=1 ") })
        #expect(job.at("/call/url")?.string == upstream.url("/v2/7/***"), "\(job.json)")
        let id = try #require(job.at("/id")?.string)
        let found = try server.get("/v1/jobs?host=\(host)&url_prefix=\(upstream.url("/v2/7"))")
        #expect(found.at("/items/0/id")?.string == id, "\(found.json)")
        let events = try server.get("/v1/jobs/\(id)/events").at("/items")?.array ?? []
        let urls = events.compactMap { $0.object?["url"]?.string }
        #expect(Set(urls) == [upstream.url("/v2/well/***"), upstream.url("/v2/7/***")])
    }

    @Test func `refuse what they do not know, with a suggestion`() throws {
        defer { upstream.stop() }
        let server = try LiveServer()
        let wrong = try server.get("/v1/stats?by=hosts&step=hours&limits=3")
        #expect(wrong.status == 400)
        let meant = (wrong.at("/errors")?.array ?? []).compactMap { $0.object?["suggestion"]?.string }
        #expect(Set(meant) == ["host", "hour", "limit"])
        #expect(try server.get("/v1/stats?step=minute&from=2026-01-01T00:00:00Z").status == 400)
        #expect(
            try server.get("/v1/failures?from=2027-01-02T00:00:00Z&to=2027-01-01T00:00:00Z").status == 400)
    }

    @Test func `are shown by the commands`() throws {
        defer { upstream.stop() }
        let server = try LiveServer()
        _ = try call("/v2/charge", "charge", 2, server)
        _ = try counted(2, "/total/count", "/v1/stats", server)
        let stats = try server.client("stats", "--by", "name")
        #expect(stats.code == 0, "\(stats.errors)")
        #expect(stats.output.contains("charge") && stats.output.contains("█"))
        let failures = try server.client("failures", "--since", "1h")
        #expect(failures.output.contains("http.status") && failures.output.contains("card_declined"))
    }

    @Test func `list the operations in a state, on all pages`() throws {
        defer { upstream.stop() }
        let server = try LiveServer()
        let calls = (1...8).map { number in
            let path = number % 4 == 0 ? "/v2" : "/well"
            return #"""
                {"type": "network", "name": "c\#(number)", "request": "\#(upstream.url(path))", "retry": {"max_attempts": 1}}
                """#
        }
        let spec = #"""
            {"type": "group", "succeed_when": {"max_failures": 5}, "operations": [\#(calls.joined(separator: ","))]}
            """#
        let job = try server.post("/v1/jobs", spec, headers: ["Prefer: wait=20"])
        let id = try #require(job.at("/id")?.string)
        var (found, path): ([String], String?) = ([], "/v1/jobs/\(id)/operations?state=failed&page_size=1")
        while let next = path {
            let page = try server.get(next)
            #expect(page.status == 200, "\(page.json)")
            found += (page.at("/items")?.array ?? []).compactMap { $0.object?["name"]?.string }
            path = page.at("/next_page_token")?.string.map {
                "/v1/jobs/\(id)/operations?state=failed&page_size=1&page_token=\($0)"
            }
        }
        #expect(found == ["c4", "c8"])
    }
}
