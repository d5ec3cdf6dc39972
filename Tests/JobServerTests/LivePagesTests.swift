import Foundation
import StrictJSON
import Testing

/// All pages of a list of an upstream, over HTTP.
@Suite(.serialized) struct `Live pages` {
    private func done(_ server: LiveServer, _ spec: String) throws -> LiveServer.Answer {
        try server.post("/v1/jobs", spec, headers: ["Prefer: wait=20"])
    }

    private func targets(_ upstream: Upstream, _ path: String) -> [String] {
        upstream.calls(of: path).map { String($0.text.split(separator: " ")[1]) }
    }

    @Test func `become one list, each with an address and attempts of its own`() throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script(
            "/orders",
            .json(200, "[1, 2]", fields: [#"Link: </orders>; rel="first""#, "Link: <?p=2>; rel=next"]),
            .status(503), .json(200, "[3]", fields: [#"Link: </orders?p=3>; rel="next""#]), .json(200, "[]"))
        let server = try LiveServer()
        let answer = try done(
            server,
            #"{"type": "pages", "request": "\#(url)", "next": "link", "retry": {"backoff": "10ms"}}"#)
        #expect(answer.at("/state") == "succeeded")
        #expect(answer.at("/result/inline") == [1, 2, 3])
        #expect(targets(upstream, "/orders") == ["/orders", "/orders?p=2", "/orders?p=2", "/orders?p=3"])
        let job = "/v1/jobs/\(try #require(answer.at("/id")?.string))"
        let operations = try server.get("\(job)/operations").at("/items")?.array ?? []
        #expect(operations.map { $0.at("/operation") } == ["_root", "1", "2", "3"])
        #expect(operations.map { $0.at("/type") } == ["pages", "network", "network", "network"])
        #expect(try server.get("\(job)/operations/2/result").json == [3])
        let archive = try server.get("\(job)/attempts", headers: ["Accept: application/har+json"])
        let urls = archive.at("/log/entries")?.array?.map { $0.at("/request/url")?.string ?? "" } ?? []
        #expect(urls == ["", "?p=2", "?p=2", "?p=3"].map { url + $0 })
    }

    @Test func `become a file, and each of its lines a call`() throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let list = upstream.script(
            "/orders", .json(200, "[1, 2]", fields: ["Link: <?p=2>; rel=next"]), .json(200, "[3]"))
        let pay = upstream.script(
            "/pay", .json(200, #"{"n": 1}"#), .status(404), .json(200, #"{"n": 3}"#))
        let server = try LiveServer()
        let answer = try done(
            server,
            #"""
            {"type": "group", "operations": [
              {"type": "pages", "name": "orders", "request": "\#(list)", "next": "link", "save": {}},
              {"type": "group", "name": "charge", "map": {"items": {"$lines": "orders"}, "concurrency": 1,
                "save": {"artifact": "charges.ndjson"}, "operation": {"type": "network", "on_failure": "continue",
                  "request": {"method": "PUT", "url": "\#(pay)", "json": {"$item": ""}}}}}]}
            """#)
        #expect(answer.at("/state") == "succeeded", "\(answer.json)")
        let job = "/v1/jobs/\(try #require(answer.at("/id")?.string))/operations"
        let file = try server.get("\(job)/charge/result")
        #expect(String(decoding: file.body, as: UTF8.self) == "{\"n\":1}\nnull\n{\"n\":3}\n")
        #expect(upstream.calls(of: "/pay").map { $0.text.suffix(1) } == ["1", "2", "3"])
        #expect(try server.get("\(job)/orders/result").body == Data("1\n2\n3\n".utf8))
        #expect(try server.get("\(job)/charge%2F1%2F2").at("/error") != nil)
        #expect(try server.get("\(job)/charge%2F1/result").body == file.body)
    }

    @Test(arguments: [(#","save":{}"#, "body.too_large"), ("", "reference.too_large")])
    func `with an item of 50 MB are an error with the remedy, and leave nothing behind`(
        save: String, code: String
    ) throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let item = String(repeating: "x", count: 50_000_000)
        let url = upstream.script("/orders", .json(200, #"["\#(item)"]"#))
        let server = try LiveServer()
        let spec =
            #"{"type":"pages","request":"\#(url)","next":{"page":"p"},"retry":{"max_attempts":1}\#(save)}"#
        let answer = try done(server, spec)
        #expect(answer.at("/state") == "failed")
        #expect(answer.at("/error/code")?.string == code, "\(answer.json)")
        #expect(answer.at("/error/operation") == "1")
        #expect(upstream.calls(of: "/orders").count == 1)
    }

    @Test func `keep credentials from another origin, and obey the rules for addresses`() throws {
        let (upstream, other) = (Upstream(), Upstream())
        defer {
            upstream.stop()
            other.stop()
        }
        let far = other.script("/2", .json(200, #"{"items": [2], "next": "http://169.254.169.254/3"}"#))
        let url = upstream.script("/1", .json(200, #"{"items": [1], "next": "\#(far)"}"#))
        let server = try LiveServer()
        let answer = try done(
            server,
            #"""
            {"type": "pages", "next": {"at": "/body/next"}, "items": {"at": "/body/items"},
             "request": {"url": "\#(url)", "auth": {"type": "bearer", "token": "t0ken"}, "headers": {"X-Key": "k3y"}}}
            """#)
        #expect(answer.at("/state") == "failed")
        #expect(answer.at("/error/code") == "egress.blocked")
        #expect(answer.at("/error/operation") == "3")
        let sent = [upstream.calls(of: "/1"), other.calls(of: "/2")].map { $0.first?.text ?? "" }
        #expect(sent[0].contains("t0ken") && sent[0].contains("k3y"))
        #expect(!sent[1].isEmpty && !sent[1].contains("t0ken") && !sent[1].contains("k3y"))
    }

    @Test func `go on behind the last stored one after the server was killed`() async throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let pages = (1...3).map { Upstream.Reply.json(200, #"{"items": [\#($0)], "cursor": \#($0 + 1)}"#) }
        let url = upstream.script(
            "/orders", pages[0], pages[1], .held(pages[2]), pages[2],
            .json(200, #"{"items": [4], "cursor": null}"#))
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let first = try LiveProgram(directory: home)
        let id = try first.submit(
            #"""
            {"type": "pages", "request": "\#(url)", "next": {"cursor": {"at": "/body/cursor"}, "query": "c"},
             "items": {"at": "/body/items"}}
            """#)
        let (recipe, all) = try (recipe(), #"{"orders": [{"id": 1}, {"id": 2}]}"#)
        let link = { (page: Int) in ["Link: <?page=\(page)>; rel=next"] }
        let shop = upstream.script(
            "/shop", .json(200, all, fields: link(2)), .json(200, #"{"orders": []}"#, fields: link(3)),
            .held(.json(200, all)), .json(200, #"{"orders": [3]}"#))
        let copied = try first.submit(recipe.replacing("https://shop.example/orders", with: shop))
        await upstream.waitForCalls(of: "/orders", 3)
        await upstream.waitForCalls(of: "/shop", 3)
        #expect(first.stop(SIGKILL) == -9)
        upstream.release("/orders")
        upstream.release("/shop")
        let second = try LiveProgram(directory: home)
        let answer = try second.get("/v1/jobs/\(id)", headers: ["Prefer: wait=20"])
        #expect(answer.at("/state") == "succeeded")
        #expect(answer.at("/result/inline") == [1, 2, 3, 4])
        let asked = targets(upstream, "/orders")
        #expect(asked == ["/orders", "/orders?c=2", "/orders?c=3", "/orders?c=3", "/orders?c=4"])
        let file = try second.get("/v1/jobs/\(copied)", headers: ["Prefer: wait=20"])
        #expect(file.at("/state") == "succeeded", "\(file.json)")
        #expect(file.at("/result/artifact/name") == "orders.ndjson")
        let result = try second.get("/v1/jobs/\(copied)/result")
        #expect(result.field("content-type") == "application/x-ndjson")
        #expect(String(decoding: result.body, as: UTF8.self) == "{\"id\":1}\n{\"id\":2}\n3\n")
        let fetched = targets(upstream, "/shop")
        #expect(fetched == ["/shop?limit=100", "/shop?page=2", "/shop?page=3", "/shop?page=3"])
    }

    /// The job of `Docs/Recipes.md` about pages.
    private func recipe() throws -> String {
        let page = PythonServer.root.appending(path: "Docs/Recipes.md")
        let parts = try String(contentsOf: page, encoding: .utf8)
            .components(separatedBy: "## All pages of an API into one file").last?
            .components(separatedBy: "```json\n")
        return try #require(parts?.dropFirst().first?.components(separatedBy: "```").first)
    }
}
