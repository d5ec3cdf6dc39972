import Foundation
import StrictJSON
import Testing

@Suite(.world) struct `The life of a job` {
    @Test func `leads from its submission over its events to its result`() async throws {
        let world = try World.here
        let made = try await world.post("/v1/jobs", #"{"type": "value", "name": "two", "value": 2}"#)
        #expect(made.status == 202)
        let id = try #require(made.at("/id")?.string)
        #expect(made.field("location") == "/v1/jobs/\(id)")
        let ended = try await LiveJob(id: id, world: world).ended()
        #expect(ended.state == "succeeded")
        #expect(ended.at("/result/inline") == 2)
        #expect(ended.at("/error") == nil)
        #expect(ended.codes.isEmpty)
        #expect(ended.events(of: "_root") == ["started", "finished"])
        let numbers: [Int] = ended.events.compactMap { $0.at("/sequence")?.number?.int }
        #expect(numbers == [Int](1...ended.events.count))
        let result = try await world.get("/v1/jobs/\(id)/result")
        #expect(result.status == 200)
        #expect(String(decoding: result.body, as: UTF8.self) == "2")
    }

    @Test func `ends with its first error as the error, and without a result`() async throws {
        let world = try World.here
        let url = world.upstream.script("/missing", .status(404))
        let ended = try await world.run(#"{"type": "network", "name": "loader", "request": "\#(url)"}"#)
        #expect(ended.state == "failed")
        #expect(ended.at("/error") != nil)
        #expect(ended.at("/errors") == nil)
        #expect(ended.codes == ["http.status"])
        #expect(ended.at("/error/stage") == "execution")
        #expect(ended.at("/error/operation") == "_root")
        #expect(ended.at("/result") == nil)
        let result = try await world.get(ended.job.path + "/result")
        #expect(result.status == 404)
        #expect(result.at("/error/code") == "http.status")
        #expect(world.upstream.count(of: "/missing") == 1)
    }

    @Test func `that has not begun is over at once when cancelled, and takes nothing any more`() async throws
    {
        let world = try World.here
        let job = try await world.submit(#"{"type": "value", "name": "later", "value": 1, "run_at": "1h"}"#)
        let answer = try await job.cancel()
        #expect(answer.status == 200)
        #expect(answer.at("/state") == "cancelled")
        #expect(answer.at("/started_at") == nil)
        #expect(answer.at("/finished_at") != nil)
        #expect(answer.json.codes == ["cancelled.user"])
        #expect(answer.at("/error/stage") == "execution")
        #expect(answer.at("/error/operation") == "_root")
        #expect(try await world.post(job.path + "/signals/go", "{}").status == 409)
    }

    @Test func `does not change any more when it is over, byte for byte`() async throws {
        let world = try World.here
        let ended = try await world.run(#"{"type": "value", "value": [1, 2]}"#)
        let before = try await ended.job.now()
        #expect(try await ended.job.cancel().status == 200)
        #expect(try await ended.job.cancel().status == 200)
        #expect(try await world.send("PATCH", ended.job.path, body: #"{"priority": 9}"#).status == 405)
        let after = try await ended.job.now()
        #expect(after.body == before.body)
        #expect(after.field("etag") == before.field("etag"))
    }

    @Test func `that runs ends with the reason of the bulk action that cancels it`() async throws {
        let world = try World.here
        let url = world.upstream.script("/bulk-stop", .held(.status(200)))
        let job = try await world.submit(#"{"type": "network", "name": "bulk_stop", "request": "\#(url)"}"#)
        await world.upstream.waitForCalls(of: "/bulk-stop", 1)
        let bulk = #"{"action": "cancel", "filter": {"name": "bulk_stop"}, "reason": "Too late."}"#
        #expect(try await world.post("/v1/bulk-actions", bulk).status == 202)
        let ended = try await job.ended()
        #expect(ended.state == "cancelled")
        #expect(ended.at("/error/detail")?.string?.contains("Too late.") == true, "\(ended.document)")
        world.upstream.release("/bulk-stop")
    }

    @Test func `that waits for a key ends immediately when cancelled, and the holder goes on`() async throws {
        let world = try World.here
        let url = world.upstream.script("/holder", .held(.status(200)))
        let key = #""conditions": [{"type": "lock", "key": "cancelled waiter"}]"#
        let holder = try await world.submit(#"{"type": "network", "request": "\#(url)", \#(key)}"#)
        await world.upstream.waitForCalls(of: "/holder", 1)
        let waiter = try await world.submit(#"{"type": "network", "request": "\#(url)", \#(key)}"#)
        _ = try await waiter.cancel()
        let ended = try await waiter.ended()
        #expect(ended.state == "cancelled")
        #expect(ended.at("/started_at") == nil)
        #expect(try await holder.now().at("/state") == "running")
        world.upstream.release("/holder")
        #expect(try await holder.ended().state == "succeeded")
        #expect(world.upstream.count(of: "/holder") == 1)
    }

    @Test func `that waits for its turn ends at once when cancelled, though no place is free`() async throws {
        try await World.with(["--concurrency", "1"]) {
            let world = try World.here
            let url = world.upstream.script("/busy", .held(.status(200)))
            let busy = try await world.submit(#"{"type": "network", "request": "\#(url)"}"#)
            await world.upstream.waitForCalls(of: "/busy", 1)
            let queued = try await world.submit(#"{"type": "network", "request": "\#(url)"}"#)
            #expect(try await queued.now().at("/state") == "queued")
            let answer = try await queued.cancel()
            #expect(answer.status == 200)
            #expect(answer.at("/state") == "cancelled")
            #expect(try await busy.now().at("/state") == "running")
            world.upstream.release("/busy")
            #expect(try await busy.ended().state == "succeeded")
            #expect(world.upstream.count(of: "/busy") == 1)
        }
    }

    @Test func `passes its states in their order, each at most once`() async throws {
        let world = try World.here
        let job = try await world.submit(#"{"type": "delay", "for": "3s", "run_at": "100ms"}"#)
        var states: [String] = []
        var answer = try await job.now()
        while true {
            let state = answer.at("/state")?.string ?? ""
            if states.last != state { states.append(state) }
            if answer.at("/done") == true { break }
            let tag = try #require(answer.field("etag"))
            answer = try await world.get(job.path, ["Prefer": "wait=10", "If-None-Match": tag])
        }
        let order = ["scheduled", "queued", "running", "waiting", "queued", "running", "succeeded"]
        var rest = order[...]
        for state in states {
            let place = try #require(rest.firstIndex(of: state), "\(states)")
            rest = rest[(place + 1)...]
        }
        #expect(states.contains("waiting"))
        #expect(states.last == "succeeded")
        #expect(try await job.now().at("/state") == "succeeded")
    }

    @Test(arguments: [
        (#"{"type": "sing"}"#, "/type", "sing"),
        (#"{"type": "network"}"#, "", "request"),
        (#"{"type": "delay"}"#, "", "for"),
        (#"{"type": "group"}"#, "", "operations"),
        (#"{"type": "group", "operations": [{"type": "value"}]}"#, "/operations/0", "value"),
        (
            #"""
            {"type": "group", "operations": [{"type": "value", "name": "a", "value": 1, "after": ["b"]},
              {"type": "value", "name": "b", "value": 1, "after": ["a"]}]}
            """#, "/operations/0", "a → b → a"
        ),
        (
            #"{"type": "group", "operations": [{"type": "value", "name": "a", "value": 1, "after": ["x"]}]}"#,
            "/operations/0/after/0", "x"
        ),
    ])
    func `does not begin with a mistake in its spec, which is reported with its position`(
        spec: String, pointer: String, word: String
    ) async throws {
        let world = try World.here
        let named = #"{"labels": {"case": "mistake"}, "# + spec.dropFirst()
        let answer = try await world.post("/v1/jobs", named)
        #expect(answer.status == 422)
        #expect(answer.json.pointers.contains(pointer), "\(answer.json)")
        #expect(answer.at("/errors/0/detail")?.string?.contains(word) == true)
        #expect(try await world.get("/v1/jobs?label.case=mistake").at("/items") == [])
    }

    @Test func `answers all waiting requests at its end, with the result, and late ones immediately`()
        async throws
    {
        let world = try World.here
        let url = world.upstream.script("/watched", .held(.json(200, #"{"it": "is"}"#)))
        let job = try await world.submit(#"{"type": "network", "request": "\#(url)"}"#)
        await world.upstream.waitForCalls(of: "/watched", 1)
        let early = try await world.get(job.path + "/result")
        #expect(early.status == 202)
        #expect(early.at("/done") == false)
        async let first = readsResultAtTheEnd(of: job)
        async let second = readsResultAtTheEnd(of: job)
        world.upstream.release("/watched")
        #expect(try await first == [200, 200])
        #expect(try await second == [200, 200])
        let began = ContinuousClock.now
        #expect(try await readsResultAtTheEnd(of: job) == [200, 200])
        #expect(ContinuousClock.now - began < .seconds(15))
        #expect(try await job.ended().events.last?.text("/state") == "succeeded")
    }

    @Test func `is never forgotten when a thousand come at once`() async throws {
        let world = try World.here
        let states = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<1000 {
                let spec = #"{"type": "value", "value": \#(number), "labels": {"case": "burst"}}"#
                group.addTask {
                    try await world.send("POST", "/v1/jobs", ["Prefer": "wait=50"], body: spec).at("/state")?
                        .string
                }
            }
            return try await group.reduce(into: [String?: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(states == ["succeeded": 1000])
        let open = "pending,scheduled,queued,running,waiting,retrying,held,cancelling"
        #expect(try await world.get("/v1/jobs?label.case=burst&state=\(open)").at("/items") == [])
    }

    @Test func `may end with nothing as its result`() async throws {
        let ended = try await World.here.run(
            #"""
            {"type": "group", "operations": [{"type": "value", "name": "nothing", "value": null},
              {"type": "value", "name": "next", "value": 1, "after": ["nothing"]}]}
            """#)
        #expect(ended.state == "succeeded")
        #expect(ended.state(of: "next") == "succeeded")
        let alone = try await World.here.run(#"{"type": "value", "value": null}"#)
        #expect(alone.at("/result/inline") == .null)
    }

    /// Waits for the end and then reads the result; returns the statuses.
    private func readsResultAtTheEnd(of job: LiveJob) async throws -> [Int] {
        let end = try await job.world.get(job.path, ["Prefer": "wait=20"])
        #expect(end.at("/state") == "succeeded")
        return [end.status, try await job.world.get(job.path + "/result").status]
    }
}

extension JSONValue {
    /// The pointers of the problems in an answer.
    var pointers: [String] { at("/errors")?.array?.compactMap { $0.text("/pointer") } ?? [] }
}
