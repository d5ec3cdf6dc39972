import Foundation
import StrictJSON
import Testing

@Suite(.world) struct `Time in a job` {
    @Test func `that is past or zero does not delay`() async throws {
        let world = try World.here
        for rule in [#""for": "0s""#, #""until": "2001-01-01T00:00:00Z""#] {
            let ended = try await world.run(#"{"type": "delay", "name": "wait", \#(rule)}"#)
            #expect(ended.state == "succeeded")
            let took = ended.operations["_root"]?.seconds(from: "/started_at", to: "/finished_at")
            #expect(try #require(took) < 5)
        }
        let negative = try await world.post("/v1/jobs", #"{"type": "delay", "for": "-5s"}"#)
        #expect(negative.status == 422)
        #expect(negative.json.pointers == ["/for"])
    }

    @Test(arguments: [200, 400]) func `delays for its full time`(milliseconds: Int) async throws {
        let ended = try await World.here.run(
            #"{"type": "delay", "name": "wait", "for": "\#(milliseconds)ms"}"#)
        #expect(ended.state == "succeeded")
        let took = try #require(
            ended.operations["_root"]?.seconds(from: "/started_at", to: "/finished_at"))
        #expect(took >= Double(milliseconds - 2) / 1000)
        #expect(took < Double(milliseconds) / 1000 + 10)
    }

    @Test func `holds back a value that follows it, and what that takes from others`() async throws {
        let ended = try await World.here.run(
            #"""
            {"type": "group", "operations": [
                {"type": "value", "name": "token", "value": {"id": 7}},
                {"type": "delay", "name": "pause", "for": "400ms", "after": ["token"]},
                {"type": "value", "name": "last", "value": {"$get": "token", "at": "/body/id"}, "after": ["pause"]}]}
            """#)
        #expect(ended.state == "succeeded")
        #expect(ended.at("/result/inline/last") == 7)
        let last = try #require(ended.operations["last"]?.at("/started_at")?.string)
        let pause = try #require(ended.operations["pause"]?.at("/finished_at")?.string)
        #expect(last >= pause)
    }

    @Test func `that remains is not waited for after a cancellation`() async throws {
        let job = try await World.here.submit(#"{"type": "delay", "name": "wait", "for": "30s"}"#)
        try await job.reaches("waiting")
        let began = ContinuousClock.now
        _ = try await job.cancel()
        let ended = try await job.ended()
        #expect(ContinuousClock.now - began < .seconds(15))
        #expect(ended.state == "cancelled")
        #expect(ended.state(of: "_root") == "cancelled")
    }

    @Test func `that is up ends an operation with its clock as the reason`() async throws {
        let world = try World.here
        let url = world.upstream.script("/stalled", .stalled)
        let never = world.upstream.script("/too-late", .status(200))
        async let total = world.run(
            #"{"type": "network", "name": "call", "request": "\#(url)", "timeouts": {"total": "200ms"}}"#)
        async let deadline = world.run(
            #"{"type": "network", "name": "call", "request": "\#(url)", "finish_by": "200ms"}"#)
        async let past = world.run(
            #"{"type": "network", "name": "call", "request": "\#(never)", "finish_by": "2001-01-01T00:00:00Z"}"#
        )
        #expect(try await total.codes == ["timeout.total"])
        #expect(try await deadline.codes == ["timeout.finish_by"])
        #expect(try await past.codes == ["timeout.finish_by"])
        #expect(try await total.state == "failed")
        #expect(try await past.operations["_root"]?.at("/started_at") == nil)
        #expect(world.upstream.count(of: "/stalled") >= 1)
        #expect(world.upstream.count(of: "/too-late") == 0)
        for interval in ["0s", "-1s"] {
            let answer = try await world.post(
                "/v1/jobs", #"{"type": "value", "value": 1, "timeouts": {"total": "\#(interval)"}}"#)
            #expect(answer.status == 422)
        }
    }

    @Test func `that is up for a group stops its members`() async throws {
        let world = try World.here
        let url = world.upstream.script("/member", .stalled)
        let ended = try await world.run(
            #"""
            {"type": "group", "name": "all", "timeouts": {"total": "200ms"}, "operations": [
              {"type": "network", "name": "call", "request": "\#(url)"},
              {"type": "value", "name": "after", "value": 1, "after": ["call"]}]}
            """#)
        #expect(ended.state == "failed")
        #expect(ended.codes == ["timeout.total"])
        #expect(ended.state(of: "call") == "cancelled")
        #expect(["cancelled", "skipped"].contains(ended.state(of: "after")))
    }

    @Test func `between two runs of a repeat ends with a cancellation`() async throws {
        let world = try World.here
        let url = world.upstream.script("/again", .status(200))
        let job = try await world.submit(
            #"""
            {"type": "repeat", "max_runs": 5, "every": "1h",
             "operation": {"type": "network", "request": "\#(url)"}}
            """#)
        try await job.reaches("waiting")
        _ = try await job.cancel()
        #expect(try await job.ended().state == "cancelled")
        #expect(world.upstream.count(of: "/again") == 1)
    }

    @Test func `an operation repeatedly, up to the limit or until its condition holds`() async throws {
        let world = try World.here
        let three = world.upstream.script("/three", .json(200, #"{"n": 1}"#), .json(200, #"{"n": 2}"#))
        let times = try await world.run(
            #"{"type": "repeat", "max_runs": 3, "operation": {"type": "network", "request": "\#(three)"}}"#)
        #expect(times.state == "succeeded")
        #expect(times.at("/result/inline") == ["n": 2])
        #expect(world.upstream.count(of: "/three") == 3)
        #expect(["1", "2", "3"].map(times.state(of:)) == ["succeeded", "succeeded", "succeeded"])
        let done = world.upstream.script(
            "/done", .json(200, #"{"done": false}"#), .json(200, #"{"done": true}"#))
        let until = try await world.run(
            #"""
            {"type": "repeat", "max_runs": 9, "until": {"at": "/body/done", "equals": true},
             "operation": {"type": "network", "request": "\#(done)"}}
            """#)
        #expect(until.state == "succeeded")
        #expect(world.upstream.count(of: "/done") == 2)
        let failing = world.upstream.script("/second", .status(200), .status(404), .status(200))
        let stopped = try await world.run(
            #"""
            {"type": "repeat", "max_runs": 3, "stop_when": "first_failure",
             "operation": {"type": "network", "request": "\#(failing)"}}
            """#)
        #expect(stopped.state == "failed")
        #expect(world.upstream.count(of: "/second") == 2)
    }

    @Test func `is not spent behind a when that does not hold, and its dependants are decided`() async throws
    {
        let world = try World.here
        let url = world.upstream.script("/inside", .status(200))
        let ended = try await world.run(
            #"""
            {"type": "group", "operations": [
              {"type": "group", "name": "door", "when": {"$job": "name", "equals": "x"},
               "operations": [{"type": "network", "name": "work", "request": "\#(url)"}]},
              {"type": "value", "name": "needs", "value": {"$get": "door/work", "at": "/body"}},
              {"type": "value", "name": "waits", "value": 1, "after": [{"operation": "door", "states": "any"}]}]}
            """#)
        #expect(ended.state == "succeeded")
        #expect(["door", "door/work", "needs"].map(ended.state(of:)) == ["skipped", "skipped", "skipped"])
        #expect(ended.state(of: "waits") == "succeeded")
        #expect(world.upstream.count(of: "/inside") == 0)
    }
}
