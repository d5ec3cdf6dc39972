import Foundation
import StrictJSON
import Testing

@Suite struct `An event stream of all jobs` {
    private static let quick = #"{"type": "value", "value": 1}"#

    private static let failing =
        #"{"type": "network", "request": "http://127.0.0.1:1/", "retry": {"max_attempts": 1}}"#

    private func ends(_ id: String) -> (LiveStream.Event) -> Bool {
        { id.isEmpty || $0.at("/id")?.string == id && $0.at("/done") == true }
    }

    @Test func `tells each end, and begins with an id to continue from`() throws {
        let server = try LiveServer()
        let stream = try LiveStream(server, "/v1/events")
        let first = try #require(stream.next())
        #expect(first.name == "bookmark")
        let id = try server.submit(#"{"type": "value", "value": 1, "name": "one"}"#)
        let last = try #require(stream.events(until: ends(id)).last)
        #expect(last.name == "message")
        #expect(last.at("/state") == "succeeded")
        #expect(last.at("/name") == "one")
        #expect(last.at("/type") == "value")
        #expect(last.at("/queue") == "default")
        #expect(last.id != first.id)
    }

    @Test func `goes on after the event that a client has seen`() throws {
        let server = try LiveServer()
        let stream = try LiveStream(server, "/v1/events")
        _ = stream.next()
        let id = try server.submit(Self.quick)
        let seen = try #require(stream.events(until: ends(id)).last)
        stream.close()
        let missed = try (0..<3).map { _ in try server.submit(Self.quick) }
        for id in missed { try server.rest(id) }
        let again = try LiveStream(server, "/v1/events", headers: ["Last-Event-ID: \(seen.id)"])
        #expect(again.next()?.name == "bookmark")
        var left = Set(missed)
        while !left.isEmpty, let event = again.next() {
            if event.at("/done") == true { left.remove(event.at("/id")?.string ?? "") }
        }
        #expect(left == [])
        let byQuery = try LiveStream(server, "/v1/events?after=\(seen.id)")
        #expect(byQuery.events(until: ends(missed[2])).last?.name == "message")
    }

    @Test func `asks for a new look at the list after a restart, or for an id that it does not know`() throws
    {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        var server = try LiveProgram(directory: home)
        let first = try #require(try LiveStream(server, "/v1/events").next())
        #expect(server.stop() == 0)
        server = try LiveProgram(directory: home)
        let life = try #require(try LiveStream(server, "/v1/events").next()).id.prefix { $0 != "-" }
        for id in [first.id, "x", "1-2-3", "", "-7", "\(life)-99", "\(life)-\(UInt64.max)"] {
            let stream = try LiveStream(server, "/v1/events?after=\(id)")
            let reset = try #require(stream.next())
            #expect(reset.name == "reset")
            #expect(reset.id != id)
            let job = try server.submit(Self.quick)
            #expect(stream.events(until: ends(job)).last?.at("/state") == "succeeded")
        }
    }

    @Test func `has only the jobs that its filter selects`() throws {
        let server = try LiveServer()
        let filters = [
            "state=failed", "name=wanted", "queue=mail", "type=delay", "label.team=red&label.area=a",
        ]
        let specs = [
            Self.failing,
            #"{"type": "value", "value": 1, "name": "wanted"}"#,
            #"{"type": "value", "value": 1, "queue": "mail"}"#,
            #"{"type": "delay", "for": "1ms"}"#,
            #"{"type": "value", "value": 1, "labels": {"team": "red", "area": "a"}}"#,
        ]
        let streams = try filters.map { try LiveStream(server, "/v1/events?\($0)") }
        for stream in streams { _ = stream.next() }
        let other = try server.submit(#"{"type": "value", "value": 1, "labels": {"team": "red"}}"#)
        try server.rest(other)
        let wanted = try specs.map { try server.submit($0) }
        for (stream, id) in zip(streams, wanted) {
            let events = stream.events(until: ends(id))
            #expect(events.last?.at("/done") == true)
            #expect(Set(events.compactMap { $0.at("/id")?.string }) == [id])
        }
    }

    @Test func `tells that a job was erased`() throws {
        let server = try LiveServer()
        let id = try server.submit(Self.quick)
        try server.rest(id)
        let stream = try LiveStream(server, "/v1/events?state=failed")
        _ = stream.next()
        #expect(try server.send("DELETE", "/v1/jobs/\(id)").status == 204)
        let erased = try #require(stream.next())
        #expect(erased.name == "erased")
        #expect(erased.at("/id")?.string == id)
        #expect(erased.at("/state") == nil)
    }

    @Test func `ends when the server stops`() throws {
        let server = try LiveProgram()
        let stream = try LiveStream(server, "/v1/events")
        _ = stream.next()
        let job = try LiveStream(
            server, "/v1/jobs/\(try server.submit(#"{"type": "delay", "for": "1h"}"#))/events")
        _ = job.next()
        #expect(server.stop() == 0)
        #expect(stream.events(until: { _ in false }).allSatisfy { $0.name != "end" })
        #expect(job.events(until: { $0.name == "end" }).last?.name != "end")
    }

    @Test(arguments: [
        ("?state=done", "query.value"), ("?colour=red", "query.unknown"),
        ("?name=a&name=b", "query.repeated"),
        ("?page_size=5", "query.unknown"),
    ])
    func `refuses a wrong filter`(_ query: String, _ code: String) throws {
        let server = try LiveServer()
        let answer = try server.get("/v1/events\(query)")
        #expect(answer.status == 400)
        #expect(answer.at("/errors/0/code")?.string == code)
    }

    @Test func `is for readers that accept it`() throws {
        let server = try LiveServer()
        let answer = try server.get("/v1/events", headers: ["Accept: application/json"])
        #expect(answer.status == 406)
        let head = try server.send("HEAD", "/v1/events")
        #expect(head.field("content-type") == "text/event-stream")
        #expect(head.field("cache-control") == "no-cache, no-transform")
        #expect(head.field("x-accel-buffering") == "no")
        #expect(try server.get("/metrics").body.range(of: Data("jobserver_event_streams 0\n".utf8)) != nil)
    }
}

@Suite struct `An event stream of one job` {
    @Test func `has each entry of its journal, and ends with the job`() throws {
        let server = try LiveServer()
        let id = try server.submit(
            #"{"type": "group", "operations": [{"type": "await", "signal": "go"}, {"type": "value", "value": 1}]}"#
        )
        let stream = try LiveStream(server, "/v1/jobs/\(id)/events")
        let before = stream.events { $0.at("/type") == "waiting" && $0.at("/kind") == "signal" }
        #expect(before.last?.at("/signal") == "go")
        #expect(try server.post("/v1/jobs/\(id)/signals/go", #"{"a": 1}"#).status < 300)
        let after = stream.events(until: { $0.name == "end" })
        let end = try #require(after.last)
        #expect(end.at("/state") == "succeeded")
        #expect(end.at("/id")?.string == id)
        #expect(stream.next() == nil)
        let listed = try server.get("/v1/jobs/\(id)/events").at("/items")?.array
        let told = (before + after).filter { $0.name == "message" }
        #expect(told.map(\.json) == listed)
        #expect(told.map(\.id) == (1...told.count).map { "\($0)" })
    }

    @Test func `goes on over a restart, and is over for a client that saw the end`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        var server = try LiveProgram(directory: home)
        let id = try server.submit(#"{"type": "await", "signal": "go"}"#)
        let first = try LiveStream(server, "/v1/jobs/\(id)/events").events { $0.at("/type") == "waiting" }
        let seen = try #require(first.last?.id)
        #expect(server.stop(SIGKILL) == -SIGKILL)
        server = try LiveProgram(directory: home)
        let stream = try LiveStream(server, "/v1/jobs/\(id)/events", headers: ["Last-Event-ID: \(seen)"])
        #expect(try server.post("/v1/jobs/\(id)/signals/go", "1").status < 300)
        let rest = stream.events(until: { $0.name == "end" })
        let told = (first + rest).filter { $0.name == "message" }
        #expect(told.map(\.json) == (try server.get("/v1/jobs/\(id)/events").at("/items")?.array))
        let last = try #require(rest.last?.id)
        let path = "/v1/jobs/\(id)/events"
        let over = try server.get(path, headers: ["Accept: text/event-stream", "Last-Event-ID: \(last)"])
        #expect(over.status == 204)
        let whole = try LiveStream(server, path).events(until: { $0.name == "end" })
        #expect(whole.filter { $0.name == "message" }.map(\.json) == told.map(\.json))
    }

    @Test func `shows metadata that were written over several lines`() throws {
        let server = try LiveServer()
        let id = try server.submit(
            "{\"type\": \"value\", \"value\": 1, \"metadata\": {\n  \"a\": 1,\r\n\n  \"b\": [2,\n 3]}}")
        let end = try LiveStream(server, "/v1/jobs/\(id)/events").events(until: { $0.name == "end" }).last
        #expect(end?.at("/state") == "succeeded")
        #expect(end?.at("/metadata") == ["a": 1, "b": [2, 3]])
    }

    @Test func `does not exist for an unknown job`() throws {
        let server = try LiveServer()
        let answer = try server.get(
            "/v1/jobs/job_00000000000000000000000000/events", headers: ["Accept: text/event-stream"])
        #expect(answer.status == 404)
        #expect(answer.at("/code") == "job.not_found")
    }
}
