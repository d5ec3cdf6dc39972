import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// Single operations of jobs, and the pages of lists, over HTTP.
@Suite(.serialized) struct `A live server and operations` {
    private func done(_ server: LiveServer, _ spec: String) throws -> String {
        let id = try server.submit(spec)
        _ = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=20"])
        return id
    }

    /// All items of a list, page by page, and the number of pages.
    private func all(_ server: LiveServer, _ path: String) throws -> (items: [JSONValue], pages: Int) {
        var items: [JSONValue] = []
        var next: String? = path
        var pages = 0
        while let address = next, pages < 100 {
            let page = try server.get(address)
            #expect(page.status == 200)
            items += page.at("/items")?.array ?? page.at("/operations")?.array ?? []
            pages += 1
            next = page.field("link").flatMap {
                $0.split(separator: ">").first.map { String($0.dropFirst()) }
            }
            #expect((page.at("/next_page_token") == nil) == (next == nil))
        }
        return (items, pages)
    }

    private func paths(_ items: [JSONValue]) -> [String] {
        items.compactMap { $0.object?["operation"]?.string }
    }

    @Test func `shows the result and the error of each, whatever the outcome of the group`() throws {
        let server = try LiveServer()
        let id = try done(
            server,
            #"""
            {"type": "group", "name": "all", "operations": [
              {"type": "value", "name": "good", "value": {"a": 1}},
              {"type": "group", "name": "inner", "operations": [{"type": "value", "name": "result", "value": "deep"}]},
              {"type": "value", "name": "bad", "value": {"$get": "good", "at": "/body/none"}},
              {"type": "value", "name": "after", "after": ["bad"], "value": 1}]}
            """#)
        let path = "/v1/jobs/\(id)"
        #expect(try server.get(path + "/result").status == 404)
        let good = try server.get(path + "/operations/good")
        #expect(good.at("/state") == "succeeded")
        #expect(good.at("/links/result")?.string == path + "/operations/good/result")
        let result = try server.get(path + "/operations/good/result")
        #expect(result.status == 200)
        #expect(result.field("content-type") == "application/json")
        #expect(String(decoding: result.body, as: UTF8.self) == #"{"a":1}"#)
        let deep = try server.get(path + "/operations/inner%2Fresult")
        #expect(deep.at("/operation") == "inner/result")
        let link = try #require(deep.at("/links/result")?.string)
        #expect(try String(decoding: server.get(link).body, as: UTF8.self) == "\"deep\"")
        #expect(try server.get(path + "/operations/inner/result/result").status == 200)
        let bad = try server.get(path + "/operations/bad")
        #expect(bad.at("/error/code")?.string?.isEmpty == false)
        let none = try server.get(path + "/operations/bad/result")
        #expect(none.status == 404)
        #expect(none.at("/code") == "job.no_result")
        #expect(none.at("/error/code") == bad.at("/error/code"))
        #expect(try server.get(path + "/operations/after").at("/error") != nil)
        #expect(try server.get(path + "/operations/good").at("/error") == nil)
        #expect(
            try server.get(path + "/operations/all").at("/error/code") == server.get(path).at("/error/code"))
        let unknown = try server.get(path + "/operations/goof")
        #expect(unknown.status == 404)
        #expect(unknown.at("/code") == "operation.not_found")
        #expect(unknown.at("/detail")?.string?.contains("good") == true)
        #expect(try server.post(path + "/operations/good").status == 405)
    }

    @Test func `shows members of a map and runs of a repeat, while they run and after`() throws {
        let server = try LiveServer()
        let id = try done(
            server,
            #"""
            {"type": "group", "name": "both", "operations": [
              {"type": "group", "name": "each", "map": {"items": [7, 8, 9],
                "operation": {"type": "value", "name": "one", "value": {"$item": ""}}}},
              {"type": "repeat", "name": "again", "max_runs": 2, "operation": {"type": "value", "value": 5}}]}
            """#)
        let path = "/v1/jobs/\(id)/operations/"
        #expect(try String(decoding: server.get(path + "each%2F2/result").body, as: UTF8.self) == "8")
        #expect(try String(decoding: server.get(path + "again/2/result").body, as: UTF8.self) == "5")
        for wrong in ["each/4", "each/0", "each/02", "again/3", "each/x"] {
            #expect(try server.get(path + wrong).status == 404, "\(wrong)")
        }
        let waiting = try server.submit(
            #"{"type": "group", "operations": [{"type": "await", "name": "go", "signal": "go"}]}"#)
        try server.rest(waiting)
        let open = try server.get("/v1/jobs/\(waiting)/operations/go/result")
        #expect(open.status == 202)
        #expect(open.at("/state") == "waiting")
    }

    @Test func `says which others an operation follows`() throws {
        let server = try LiveServer()
        let id = try done(
            server,
            #"""
            {"type": "group", "name": "all", "operations": [
              {"type": "value", "name": "a", "value": 1}, {"type": "value", "name": "b", "value": {"$get": "a"}},
              {"type": "group", "name": "steps", "ordered": true, "after": ["b"], "operations": [
                {"type": "value", "name": "one", "value": 1}, {"type": "value", "name": "two", "value": 2}]}],
             "finally": [{"type": "value", "name": "last", "value": 1}]}
            """#)
        let path = "/v1/jobs/\(id)/operations"
        let after = try all(server, path + "?page_size=2").items.reduce(into: [String: [String]]()) {
            let names = $1.object?["after"]?.array?.compactMap(\.string)
            $0[$1.object?["operation"]?.string ?? ""] = names
        }
        #expect(
            after == [
                "b": ["a"], "steps": ["b"], "steps/two": ["steps/one"], "last": ["a", "b", "steps"],
            ])
        #expect(try server.get(path + "/steps%2Ftwo").at("/after/0") == "steps/one")
    }

    @Test func `gives operations, attempts, events and explanations in pages that miss and repeat nothing`()
        throws
    {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/", .status(503), .json(200, "1"))
        let server = try LiveServer()
        let id = try server.submit(
            #"""
            {"type": "group", "name": "top", "operations": [
              {"type": "group", "name": "each", "map": {"items": [1, 2, 3, 4, 5],
                "operation": {"type": "group", "name": "one", "ordered": true, "operations": [
                  {"type": "value", "name": "first", "value": 1}, {"type": "value", "name": "second", "value": 2}]}}},
              {"type": "network", "name": "call", "request": "\#(url)", "retry": {"backoff": "10ms", "jitter": "none"}},
              {"type": "await", "name": "go", "signal": "go"}, {"type": "await", "name": "stay", "signal": "stay"}]}
            """#)
        try server.rest(id)
        let path = "/v1/jobs/\(id)"
        for _ in 0..<2 {
            let whole = try server.get(path + "/operations?page_size=500").at("/items")?.array ?? []
            #expect(whole.count == 20)
            #expect(paths(whole).prefix(5) == ["_root", "each", "each/1", "each/1/first", "each/1/second"])
            for size in [1, 3, 7] {
                let some = try all(server, path + "/operations?page_size=\(size)")
                #expect(some.items == whole)
                #expect(some.pages == (20 + size - 1) / size)
            }
            let attempts = try all(server, path + "/attempts?page_size=1").items
            #expect(attempts.map { $0.object?["number"] } == [1, 2])
            #expect(try all(server, path + "/attempts?operation=call&page_size=1").items == attempts)
            let events = try server.get(path + "/events?page_size=500").at("/items")?.array ?? []
            #expect(try all(server, path + "/events?page_size=4").items == events)
            #expect(
                events.map { $0.object?["sequence"]?.number?.int64 } == (1...Int64(events.count)).map { $0 })
            if try server.get(path).at("/done") == true { break }
            let open = try all(server, path + "/explain?page_size=1").items
            #expect(paths(open) == ["_root", "go", "stay"])
            #expect(open.last?.at("/waiting_on/0/signal") == "stay")
            for name in ["go", "stay"] { _ = try server.post("\(path)/signals/\(name)") }
            #expect(try server.get(path, headers: ["Prefer: wait=20"]).at("/state") == "succeeded")
        }
        #expect(try server.get(path + "/explain").at("/operations")?.array?.isEmpty == true)
    }

    @Test func `gives all lists in pages by the same rules`() throws {
        let server = try LiveServer()
        for name in ["a", "b", "c"] {
            let template = #"{"operation": {"type": "value", "value": 1}}"#
            #expect(try server.send("PUT", "/v1/templates/\(name)", body: template).status < 300)
            let connection = #"{"base_url": "http://127.0.0.1"}"#
            #expect(try server.send("PUT", "/v1/connections/\(name)", body: connection).status < 300)
            #expect(
                try server.send("PUT", "/v1/grants/\(name)", body: #"{"state": "granted"}"#).status < 300)
            _ = try done(server, #"{"type": "value", "name": "\#(name)", "value": 1}"#)
        }
        for list in ["templates", "connections", "grants", "jobs"] {
            let whole = try server.get("/v1/\(list)").at("/items")?.array ?? []
            #expect(whole.count == 3, "\(list)")
            let some = try all(server, "/v1/\(list)?page_size=2")
            #expect(some.items == whole)
            #expect(some.pages == 2)
            #expect(try server.get("/v1/\(list)?page_size=99999999999999999999").status == 200)
            #expect(try server.get("/v1/\(list)?page_size=0").status == 400)
            #expect(try server.get("/v1/\(list)?page_token=p1_00").at("/code") == "query.page_token")
            let other = list == "jobs" ? "grants" : "jobs"
            let token = try server.get("/v1/\(other)?page_size=1").at("/next_page_token")?.string ?? ""
            #expect(try server.get("/v1/\(list)?page_token=\(token)").at("/code") == "query.page_token")
        }
        let ended = try all(server, "/v1/jobs?finished_from=2020-01-01T00:00:00Z&page_size=1").items
        #expect(ended.map { $0.object?["name"] } == ["c", "b", "a"])
    }

    @Test func `gives the content of a job in pages, too`() throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/", .json(200, "1"))
        let server = try LiveServer()
        let downloads = ["a", "b", "c"].map {
            #"{"type": "download", "name": "\#($0)", "request": "\#(url)", "save": {"artifact": "\#($0).txt"}}"#
        }
        let id = try done(server, #"{"type": "group", "operations": [\#(downloads.joined(separator: ","))]}"#)
        let whole = try server.get("/v1/jobs/\(id)/artifacts").at("/items")?.array ?? []
        #expect(Set(whole.compactMap { $0.object?["name"]?.string }) == ["a.txt", "b.txt", "c.txt"])
        let some = try all(server, "/v1/jobs/\(id)/artifacts?page_size=2")
        #expect(some.items == whole)
        #expect(some.pages == 2)
    }

    @Test func `shows the number of the current attempt`() throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/", .stalled)
        let server = try LiveServer()
        let id = try server.submit(#"{"type": "network", "request": "\#(url)"}"#)
        let ended = Date(timeIntervalSinceNow: 20)
        var attempt: JSONValue?
        while attempt != 1, Date() < ended { attempt = try server.get("/v1/jobs/\(id)").at("/attempt") }
        #expect(attempt == 1)
    }
}
