import StrictJSON
import Testing

@Suite(.world) struct `A group over HTTP` {
    @Test func `is over after all its members, whichever ends first`() async throws {
        let world = try World.here
        let urls = ["/g1", "/g2", "/g3"].map { world.upstream.script($0, .held(.status(200))) }
        let job = try await world.submit(
            #"""
            {"type": "group", "name": "all", "operations": [
              {"type": "network", "name": "a", "request": "\#(urls[0])"},
              {"type": "network", "name": "b", "request": "\#(urls[1])"},
              {"type": "network", "name": "c", "request": "\#(urls[2])"}]}
            """#)
        for (path, operation) in [("/g2", "b"), ("/g3", "c"), ("/g1", "a")] {
            world.upstream.release(path)
            try await job.ends(operation)
        }
        let ended = try await job.ended()
        #expect(ended.state == "succeeded")
        let last = try #require(ended.place(of: "finished", "_root"))
        #expect(last == ended.events.count - 1)
        let order = ended.events.filter { $0.text("/type") == "finished" }.compactMap {
            $0.text("/operation")
        }
        #expect(order == ["b", "c", "a", "_root"])
        #expect(ended.at("/result/inline")?.object?.members.map(\.name) == ["a", "b", "c"])
        #expect(try await world.post("/v1/jobs", #"{"type": "group", "operations": []}"#).status == 422)
    }

    @Test func `that has not begun is cancelled with all its members`() async throws {
        let world = try World.here
        let job = try await world.submit(
            #"""
            {"type": "group", "name": "all", "run_at": "1h", "operations": [
              {"type": "value", "name": "a", "value": 1}, {"type": "value", "name": "b", "value": 2}]}
            """#)
        #expect(try await job.cancel().at("/state") == "cancelled")
        let ended = try await job.ended()
        #expect(ended.codes == ["cancelled.user"])
        #expect(["_root", "a", "b"].map(ended.state(of:)) == ["cancelled", "cancelled", "cancelled"])
        #expect(ended.operations["a"]?.at("/started_at") == nil)
    }

    @Test func `inside of another is cancelled with its members before it begins`() async throws {
        let world = try World.here
        let url = world.upstream.script("/slow-first", .stalled)
        let job = try await world.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
              {"type": "network", "name": "first", "request": "\#(url)"},
              {"type": "group", "name": "inner", "operations": [
                {"type": "value", "name": "a", "value": 1}, {"type": "value", "name": "b", "value": 2}]}]}
            """#)
        await world.upstream.waitForCalls(of: "/slow-first", 1)
        _ = try await job.cancel()
        let ended = try await job.ended()
        #expect(ended.state == "cancelled")
        #expect(ended.codes == ["cancelled.user"])
        for path in ["first", "inner", "inner/a", "inner/b"] {
            #expect(ended.state(of: path) == "cancelled", "\(path)")
            #expect(ended.codes(of: path) == ["cancelled.parent"], "\(path)")
        }
    }

    @Test func `that runs is cancelled with its running and waiting members, and has only its own error`()
        async throws
    {
        let job = try await World.here.submit(
            #"""
            {"type": "group", "name": "all", "ordered": true, "operations": [
              {"type": "delay", "name": "wait", "for": "60s"}, {"type": "value", "name": "then", "value": 1}]}
            """#)
        try await job.reaches("waiting")
        let answer = try await job.cancel()
        #expect([200, 202].contains(answer.status))
        let ended = try await job.ended()
        #expect(ended.state == "cancelled")
        #expect(ended.codes == ["cancelled.user"])
        #expect(["wait", "then"].map(ended.state(of:)) == ["cancelled", "cancelled"])
        #expect(ended.operations["then"]?.at("/started_at") == nil)
        #expect(ended.document.seconds(from: "/created_at", to: "/finished_at").map { $0 < 50 } == true)
    }

    @Test func `in order stops after a failure, unless the failed member permits it to continue`()
        async throws
    {
        let world = try World.here
        let url = world.upstream.script("/second", .status(404))
        func ended(_ rule: String) async throws -> LiveJob.Ended {
            try await world.run(
                #"""
                {"type": "group", "ordered": true, "operations": [
                  {"type": "value", "name": "one", "value": 1},
                  {"type": "network", "name": "two", \#(rule) "request": "\#(url)"},
                  {"type": "value", "name": "three", "value": 3}]}
                """#)
        }
        let stopped = try await ended("")
        #expect(stopped.state == "failed")
        #expect(stopped.codes == ["http.status"])
        #expect(stopped.at("/error/operation") == "two")
        #expect(stopped.state(of: "three") == "skipped")
        #expect(stopped.codes(of: "three") == ["dependency.failed"])
        let carried = try await ended(#""on_failure": "continue","#)
        #expect(carried.state == "succeeded")
        #expect(carried.state(of: "two") == "failed")
        #expect(carried.state(of: "three") == "succeeded")
    }

    @Test func `reports the errors of its members in order of arrival, each with its path`() async throws {
        let world = try World.here
        let late = world.upstream.script("/late-error", .held(.status(410)))
        let early = world.upstream.script("/early", .status(404))
        let job = try await world.submit(
            #"""
            {"type": "group", "name": "all", "operations": [
              {"type": "network", "name": "late", "request": "\#(late)"},
              {"type": "group", "name": "inner", "operations": [
                {"type": "network", "name": "early", "request": "\#(early)"}]},
              {"type": "value", "name": "fine", "value": 1}]}
            """#)
        try await job.ends("inner/early")
        world.upstream.release("/late-error")
        let ended = try await job.ended()
        #expect(ended.state == "failed")
        #expect(ended.state(of: "fine") == "succeeded")
        #expect(ended.at("/errors/0/operation") == "inner/early")
        #expect(ended.at("/errors/1/operation") == "late")
        #expect(ended.at("/error/upstream/status") == 404)
        #expect(ended.codes.count == 2)
    }

    @Test func `succeeds anyway when a failure is tolerated`() async throws {
        let world = try World.here
        let url = world.upstream.script("/optional", .status(404))
        let ended = try await world.run(
            #"""
            {"type": "group", "operations": [{"type": "value", "name": "a", "value": 1},
              {"type": "network", "name": "b", "request": "\#(url)", "on_failure": "continue"}]}
            """#)
        #expect(ended.state == "succeeded")
        #expect(ended.codes.isEmpty)
        #expect(ended.codes(of: "b") == ["http.status"])
        #expect(ended.at("/result/inline") == ["a": 1])
    }

    @Test func `that fails fast stops running members and skips none silently`() async throws {
        let world = try World.here
        let url = world.upstream.script("/fatal", .status(404))
        let stalled = world.upstream.script("/endless", .stalled)
        let job = try await world.submit(
            #"""
            {"type": "group", "stop_when": "first_failure", "operations": [
              {"type": "network", "name": "endless", "request": "\#(stalled)"},
              {"type": "network", "name": "fatal", "request": "\#(url)"}]}
            """#)
        let ended = try await job.ended()
        #expect(ended.state == "failed")
        #expect(ended.codes == ["http.status"])
        #expect(ended.state(of: "endless") == "cancelled")
    }

    @Test(arguments: [1, 2])
    func `runs no more members at once than it may`(limit: Int) async throws {
        let world = try World.here
        let path = "/limited\(limit)"
        let url = world.upstream.script(path, .slow(milliseconds: 20, .status(200)))
        let members = (0..<6).map { _ in #"{"type": "network", "request": "\#(url)"}"# }
        let ended = try await world.run(
            #"{"type": "group", "concurrency": \#(limit), "operations": [\#(members.joined(separator: ","))]}"#
        )
        #expect(ended.state == "succeeded")
        #expect(world.upstream.count(of: path) == 6)
        #expect(world.upstream.mostAtOnce(of: path) == limit)
    }
}
