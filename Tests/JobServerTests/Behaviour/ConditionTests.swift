import StrictJSON
import Testing

@Suite(.world) struct `Conditions of a job` {
    @Test func `that hold are asked first, and then it runs`() async throws {
        let world = try World.here
        let probe = world.upstream.script("/probe", .status(200))
        let url = world.upstream.script("/work", .status(200))
        let ended = try await world.run(
            #"{"type": "network", "name": "work", "request": "\#(url)", "conditions": [\#(http(probe))]}"#)
        #expect(ended.state == "succeeded")
        #expect(ended.events(of: "_root").first == "started")
        let asked = try #require(world.upstream.calls(of: "/probe").first)
        let called = try #require(world.upstream.calls(of: "/work").first)
        #expect(asked.began < called.began)
        #expect(world.upstream.count(of: "/probe") == 1)
    }

    @Test func `that fail leave it failed without having begun`() async throws {
        let world = try World.here
        let url = world.upstream.script("/never", .status(200))
        let ended = try await world.run(
            #"{"type": "network", "name": "work", "request": "\#(url)", "conditions": [\#(tcp(deadURL))]}"#)
        #expect(ended.state == "failed")
        #expect(ended.at("/started_at") == nil)
        #expect(ended.events(of: "_root") == ["finished"])
        #expect(ended.codes == ["condition.unreachable"])
        #expect(ended.at("/error/stage") == "condition")
        #expect(ended.at("/error/publisher") == "reachability")
        #expect(world.upstream.count(of: "/never") == 0)
    }

    @Test func `are turned round by a negation`() async throws {
        let world = try World.here
        let probe = world.upstream.script("/there", .status(200))
        async let refused = world.run(value(#"{"not": \#(http(probe))}"#))
        async let allowed = world.run(value(#"{"not": \#(tcp(deadURL))}"#))
        #expect(try await refused.codes == ["condition.holds"])
        #expect(try await refused.at("/error/publisher") == "not(reachability)")
        #expect(try await refused.at("/error/stage") == "condition")
        #expect(try await allowed.state == "succeeded")
    }

    @Test func `skip it when they say so, alone or as one of several`() async throws {
        let world = try World.here
        let skip = #""otherwise": "skip""#
        async let alone = world.run(value(#"{"type": "reachability", "url": "\#(deadURL)", \#(skip)}"#))
        async let either = world.run(value(#"{"any": [\#(tcp(deadURL))], \#(skip)}"#))
        for ended in try await [alone, either] {
            #expect(ended.state == "skipped")
            #expect(ended.at("/started_at") == nil)
        }
    }

    @Test func `on the states of others fail it, skip it or let it run`() async throws {
        let world = try World.here
        let url = world.upstream.script("/bad", .status(404))
        let ended = try await world.run(
            #"""
            {"type": "group", "operations": [
              {"type": "value", "name": "ok", "value": 1},
              {"type": "network", "name": "bad", "request": "\#(url)"},
              {"type": "value", "name": "left", "value": 1, "when": {"$job": "name", "equals": "x"}},
              {"type": "group", "name": "many", "operations": [
                {"type": "value", "value": 1}, {"type": "network", "name": "one", "request": "\#(url)"}]},
              \#(follower("good", of: "ok")), \#(follower("fails", of: "bad")),
              \#(follower("stays", of: "left")), \#(follower("last", of: "many"))]}
            """#)
        let states = ["good", "fails", "stays", "last"].map(ended.state(of:))
        #expect(states == ["succeeded", "failed", "skipped", "failed"])
        #expect(ended.codes(of: "fails") == ["condition.unsatisfied"])
        #expect(ended.operations["fails"]?.at("/error/stage") == "condition")
    }

    /// Fails when the other one did not succeed, and is skipped when that was skipped or cancelled.
    private func follower(_ name: String, of other: String) -> String {
        #"""
        {"type": "value", "name": "\#(name)", "value": 1, "after": [{"operation": "\#(other)", "states": "any"}],
         "conditions": [
           {"when": {"$get": "\#(other)", "at": "/state", "in": ["succeeded", "cancelled", "skipped"]}},
           {"when": {"$get": "\#(other)", "at": "/state", "equals": "succeeded"}, "otherwise": "skip"}]}
        """#
    }

    @Test func `are asked only after the states that an edge names`() async throws {
        let world = try World.here
        let url = world.upstream.script("/gone", .status(404))
        let ended = try await world.run(
            #"""
            {"type": "group", "operations": [
              {"type": "network", "name": "bad", "request": "\#(url)"},
              {"type": "value", "name": "left", "value": 1, "when": {"$job": "name", "equals": "x"}},
              {"type": "value", "name": "one", "value": 1, "after": [
                {"operation": "bad", "states": ["failed", "skipped"]},
                {"operation": "left", "states": ["failed", "skipped"]}]},
              {"type": "value", "name": "two", "value": 1, "after": [
                {"operation": "bad", "states": ["succeeded", "skipped"]}]},
              {"type": "value", "name": "three", "value": 1, "after": [
                {"operation": "one", "states": ["failed"]}]}]}
            """#)
        #expect(["one", "two", "three"].map(ended.state(of:)) == ["succeeded", "skipped", "skipped"])
        #expect(ended.codes(of: "two") == ["dependency.failed"])
        #expect(ended.codes(of: "three") == ["dependency.skipped"])
    }

    @Test func `are all asked, and their failures reported in the order of the spec`() async throws {
        let world = try World.here
        let slow = [("/p1", "300ms"), ("/p2", "10ms"), ("/p3", "150ms")].map { path, timeout in
            http(world.upstream.script(path, .stalled), timeout: timeout)
        }
        let url = world.upstream.script("/unreached", .status(200))
        let ended = try await world.run(
            #"{"type": "network", "request": "\#(url)", "conditions": [\#(slow.joined(separator: ", "))]}"#)
        #expect(ended.codes == Array(repeating: "condition.unreachable", count: 3))
        let details = ended.at("/errors")?.array?.compactMap { $0.text("/detail") } ?? []
        #expect(zip(details, ["/p1", "/p2", "/p3"]).allSatisfy { $0.contains($1) }, "\(details)")
        #expect(ended.at("/error") == ended.at("/errors/0"))
        #expect(world.upstream.count(of: "/unreached") == 0)
    }

    @Test func `on two hosts are asked about both`() async throws {
        let world = try World.here
        let up = world.upstream.script("/up", .status(200))
        let ended = try await world.run(value(http(up) + ", " + tcp(deadURL)))
        #expect(world.upstream.count(of: "/up") == 1)
        #expect(ended.codes == ["condition.unreachable"])
        #expect(ended.at("/error/detail")?.string?.contains(deadURL) == true)
    }

    @Test func `are not asked before the group of the operation begins, and then once`() async throws {
        let world = try World.here
        let first = world.upstream.script("/first", .held(.status(200)))
        let probe = world.upstream.script("/asked", .status(200))
        let job = try await world.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
              {"type": "network", "name": "first", "request": "\#(first)"},
              {"type": "group", "name": "then", "operations": [
                {"type": "value", "name": "inner", "value": 1, "conditions": [\#(http(probe))]}]}]}
            """#)
        await world.upstream.waitForCalls(of: "/first", 1)
        #expect(world.upstream.count(of: "/asked") == 0)
        world.upstream.release("/first")
        #expect(try await job.ended().state(of: "then/inner") == "succeeded")
        #expect(world.upstream.count(of: "/asked") == 1)
        let begin = try #require(world.upstream.calls(of: "/first").first?.ended)
        #expect(try #require(world.upstream.calls(of: "/asked").first).began > begin)
    }

    @Test func `on dependencies that ended long ago do not hold a delay up`() async throws {
        let ended = try await World.here.run(
            #"""
            {"type": "group", "operations": [
              {"type": "value", "name": "done", "value": 1},
              {"type": "delay", "name": "rest", "for": "400ms", "after": ["done"]},
              {"type": "delay", "name": "wait", "for": "20ms", "after": ["done", "rest"],
               "conditions": [{"when": {"$get": "rest", "at": "/state", "equals": "succeeded"}}]}]}
            """#)
        #expect(ended.state == "succeeded")
        #expect(ended.events(of: "wait").first == "started")
        #expect(ended.events(of: "wait").last == "finished")
    }

    @Test func `that fail are not tried again`() async throws {
        let world = try World.here
        let ended = try await world.run(
            #"""
            {"type": "network", "name": "call", "request": "\#(world.upstream.script("/x", .status(200)))",
             "retry": {"max_attempts": 3, "backoff": "1ms"}, "conditions": [\#(tcp(deadURL))]}
            """#)
        #expect(ended.at("/attempt") == 0)
        #expect(ended.at("/error/stage") == "condition")
        #expect(try await ended.job.attempts().isEmpty)
        #expect(world.upstream.count(of: "/x") == 0)
    }

    /// An address without a listener.
    private var deadURL: String { "http://127.0.0.1:1/" }

    private func value(_ conditions: String) -> String {
        #"{"type": "value", "value": 1, "conditions": [\#(conditions)]}"#
    }

    private func tcp(_ url: String) -> String { #"{"type": "reachability", "url": "\#(url)"}"# }

    private func http(_ url: String, timeout: String = "5s") -> String {
        #"{"type": "reachability", "url": "\#(url)", "probe": "http", "probe_timeout": "\#(timeout)"}"#
    }
}
