import FaultyHTTP
import StrictJSON
import Testing

/// An operation has one address, which names it in lists, alone, in attempts, events, links and errors.
@Suite(.serialized) struct `Addresses of operations over HTTP` {
    private struct Job {
        let server: LiveServer
        let path: String

        init(_ server: LiveServer, _ spec: String) throws {
            self.server = server
            path = "/v1/jobs/\(try server.submit(spec))"
            _ = try server.get(path, headers: ["Prefer: wait=20"])
        }

        func get(_ rest: String) throws -> LiveServer.Answer { try server.get(path + rest) }

        /// The texts at a place in each item of a list.
        func texts(_ list: String, _ pointer: String) throws -> [String] {
            let items = try get(list).at("/items")?.array ?? []
            return items.compactMap { $0.at(pointer)?.string }
        }

        /// Each operation is found by its address and by its link, as the list shows it in full.
        func checkLinks() throws {
            let items = try get("/operations?view=full&page_size=500").at("/items")?.array ?? []
            #expect(items.count > 1)
            for item in items {
                let address = item.at("/operation")?.string ?? ""
                let link = try #require(item.at("/links/self")?.string)
                #expect(try server.get(link).json == item, "\(link)")
                #expect(try get("/operations/\(address)").json == item, "\(address)")
                #expect(try get("/attempts?operation=\(address)").status == 200, "\(address)")
            }
        }
    }

    @Test func `tell a job from its member of the same name`() throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/", .status(404))
        let job = try Job(
            try LiveServer(),
            #"{"type": "group", "name": "x", "operations": [{"type": "network", "name": "x", "request": "\#(url)"}]}"#
        )
        #expect(try job.texts("/operations", "/operation") == ["_root", "x"])
        try job.checkLinks()
        let root = try job.get("/operations/_root")
        #expect(root.at("/type") == "group")
        #expect(root.at("/name") == "x")
        #expect(root.at("/depth") == 0)
        #expect(root.at("/error/operation") == "x")
        // The name of a member comes before that of the job.
        #expect(try job.get("/operations/x").at("/type") == "network")
        #expect(try job.get("/operations/x").at("/error/operation") == "x")
        #expect(try job.get("").at("/error/operation") == "x")
        #expect(try job.texts("/attempts", "/operation") == ["x"])
        #expect(try job.texts("/attempts?operation=x", "/operation") == ["x"])
        #expect(try job.get("/attempts?operation=_root").at("/items") == [])
        #expect(try job.get("/attempts?operation=x").at("/items/0/error/operation") == "x")
        let events = try job.texts("/events", "/operation")
        #expect(events.first == "_root" && events.last == "_root", "\(events)")
        #expect(Set(events) == ["_root", "x"])
    }

    @Test func `of a job alone are its own everywhere`() throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/", .status(404))
        let server = try LiveServer()
        let job = try Job(server, #"{"type": "network", "name": "call", "request": "\#(url)"}"#)
        #expect(try job.texts("/attempts", "/operation") == ["_root"])
        #expect(Set(try job.texts("/events", "/operation")) == ["_root"])
        #expect(try job.get("").at("/error/operation") == "_root")
        #expect(try job.get("?view=full").at("/effective/operations/0/operation") == "_root")
        let archive = try server.get(job.path + "/attempts", headers: ["Accept: application/har+json"])
        #expect(archive.at("/log/entries/0/_attempt/operation") == "_root")
        // It was addressed by its name once.
        #expect(try job.get("/operations/call").at("/operation") == "_root")
        #expect(try job.texts("/attempts?operation=call", "/operation") == ["_root"])
    }

    @Test func `begin below a repetition that is the job`() throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/", .json(200, "5"))
        let job = try Job(
            try LiveServer(),
            #"""
            {"type": "repeat", "name": "again", "max_runs": 2, "operation": {"type": "network", "request": "\#(url)"}}
            """#)
        #expect(try job.texts("/operations", "/operation") == ["_root", "1", "2"])
        try job.checkLinks()
        #expect(try String(decoding: job.get("/operations/2/result").body, as: UTF8.self) == "5")
        #expect(try job.texts("/attempts", "/operation") == ["1", "2"])
        let wrong = try job.get("/operations/again%2F2")
        #expect(wrong.status == 404)
        #expect(wrong.at("/detail")?.string?.contains("Did you mean 2?") == true, "\(wrong.json)")
        let filtered = try job.get("/attempts?operation=again/2")
        #expect(filtered.at("/errors/0/suggestion") == "2", "\(filtered.json)")
    }

    @Test func `go through nested groups, runs and members of lists`() throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/", .status(404))
        let job = try Job(
            try LiveServer(),
            #"""
            {"type": "group", "name": "all", "operations": [
              {"type": "group", "name": "all", "operations": [
                {"type": "group", "name": "each", "map": {"items": [1, 2],
                  "operation": {"type": "group", "name": "each", "operations": [
                    {"type": "network", "name": "all", "request": "\#(url)"}]}}},
                {"type": "repeat", "name": "again", "max_runs": 2, "operation":
                  {"type": "group", "name": "run", "operations": [{"type": "value", "name": "one", "value": 1}]}}]}]}
            """#)
        let paths = [
            "_root", "all", "all/each", "all/each/1", "all/each/1/all", "all/each/2", "all/each/2/all",
            "all/again", "all/again/1", "all/again/1/one", "all/again/2", "all/again/2/one",
        ]
        #expect(try job.texts("/operations", "/operation") == paths)
        try job.checkLinks()
        let called = ["all/each/1/all", "all/each/2/all"]
        #expect(Set(try job.texts("/attempts", "/operation")) == Set(called))
        #expect(Set(try job.texts("/events?page_size=500", "/operation")) == Set(paths))
        let errors = try job.get("").at("/errors")?.array ?? []
        #expect(Set(errors.compactMap { $0.at("/operation")?.string }) == Set(called))
        #expect(try job.get("/operations/all%2Feach%2F2%2Fall").at("/error/operation") == "all/each/2/all")
    }

    @Test func `name the group that gets a member`() throws {
        let server = try LiveServer()
        let id = try server.submit(
            #"""
            {"type": "group", "name": "x", "operations": [
              {"type": "group", "name": "x", "operations": [{"type": "await", "name": "go", "signal": "go"}]}]}
            """#)
        for (group, shown, path) in [("_root", "_root", "a"), ("", "_root", "b"), ("x", "x", "x/c")] {
            let name = path.suffix(1)
            let added = try server.post(
                "/v1/jobs/\(id)/operations",
                #"{"group": "\#(group)", "operation": {"type": "value", "name": "\#(name)", "value": 1}}"#)
            #expect(added.status == 202, "\(added.json)")
            #expect(added.at("/group")?.string == shown)
            #expect(added.at("/operation")?.string == path)
        }
        let events = try server.get("/v1/jobs/\(id)/events").at("/items")?.array ?? []
        #expect(
            events.filter { $0.at("/type") == "operation_added" }.compactMap { $0.at("/group")?.string }
                == ["_root", "_root", "x"])
    }
}
