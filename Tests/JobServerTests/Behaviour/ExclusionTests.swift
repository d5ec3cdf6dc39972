import StrictJSON
import Testing

@Suite(.world) struct `Jobs that exclude each other` {
    @Test func `never overlap, whichever queue they are in, and all run`() async throws {
        let world = try World.here
        let url = world.upstream.script("/alone", .slow(milliseconds: 5, .status(200)))
        let states = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<20 {
                let spec =
                    #"{"type": "network", "request": "\#(url)", "queue": "\#(number % 2 == 0 ? "even" : "odd")", "#
                    + #""conditions": [{"type": "lock", "key": "alone"}]}"#
                group.addTask { try await world.run(spec).state }
            }
            return try await group.reduce(into: [String?: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(states == ["succeeded": 20])
        #expect(world.upstream.count(of: "/alone") == 20)
        #expect(world.upstream.mostAtOnce(of: "/alone") == 1)
    }

    @Test func `do not exclude those with other keys`() async throws {
        let world = try World.here
        let url = world.upstream.script("/apart", .held(.status(200)))
        let jobs = try await ["a", "b"].asyncMap { key in
            try await world.submit(
                #"{"type": "network", "request": "\#(url)", "#
                    + #""conditions": [{"type": "lock", "key": "apart \#(key)"}]}"#)
        }
        await world.upstream.waitForCalls(of: "/apart", 2)
        world.upstream.release("/apart")
        for job in jobs { #expect(try await job.ended().state == "succeeded") }
        #expect(world.upstream.mostAtOnce(of: "/apart") == 2)
    }

    @Test func `take a key only when they can begin, so that no waiter blocks others`() async throws {
        let world = try World.here
        let url = world.upstream.script("/late", .held(.status(200)))
        let quick = world.upstream.script("/quick", .status(200))
        let key = #""conditions": [{"type": "lock", "key": "late"}]"#
        let job = try await world.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
              {"type": "network", "name": "before", "request": "\#(url)"},
              {"type": "network", "name": "locked", "request": "\#(quick)", \#(key)}]}
            """#)
        await world.upstream.waitForCalls(of: "/late", 1)
        let other = try await world.run(#"{"type": "network", "request": "\#(quick)", \#(key)}"#)
        #expect(other.state == "succeeded")
        #expect(world.upstream.count(of: "/quick") == 1)
        world.upstream.release("/late")
        #expect(try await job.ended().state == "succeeded")
        #expect(world.upstream.count(of: "/quick") == 2)
    }

    @Test func `let their members use the key that the group has`() async throws {
        let key = #""conditions": [{"type": "lock", "key": "nested"}]"#
        let ended = try await World.here.run(
            #"""
            {"type": "group", \#(key), "operations": [
              {"type": "value", "name": "inner", "value": 1, \#(key)}, {"type": "value", "value": 2}]}
            """#)
        #expect(ended.state == "succeeded")
        #expect(ended.state(of: "inner") == "succeeded")
    }
}

extension Sequence where Self: Sendable, Element: Sendable {
    /// The results of `change`, one after the other.
    func asyncMap<Result>(_ change: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await change(element)) }
        return results
    }
}
