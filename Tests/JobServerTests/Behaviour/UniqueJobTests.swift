import Foundation
import StrictJSON
import Testing

@Suite(.world) struct `Jobs with a unique key` {
    private func spec(_ key: String, _ conflict: String, _ url: String) -> String {
        #"""
        {"type": "network", "request": "\#(url)", "unique": {"key": "\#(key)", "on_conflict": "\#(conflict)"}}
        """#
    }

    @Test func `are refused while another has the key, with its id`() async throws {
        let world = try World.here
        let url = world.upstream.script("/unique", .held(.status(200)))
        let first = try await world.submit(#"{"type": "network", "request": "\#(url)", "unique": "refused"}"#)
        await world.upstream.waitForCalls(of: "/unique", 1)
        let refused = try await world.post("/v1/jobs", spec("refused", "reject", url))
        #expect(refused.status == 409)
        #expect(refused.at("/code") == "unique.taken")
        #expect(refused.at("/job_id")?.string == first.id)
        let joined = try await world.post("/v1/jobs", spec("refused", "join", url))
        #expect(joined.status == 200)
        #expect(joined.at("/id")?.string == first.id)
        #expect(joined.field("unique-joined") == "true")
        world.upstream.release("/unique")
        #expect(try await first.ended().state == "succeeded")
        let after = try await world.submit(spec("refused", "reject", url))
        #expect(after.id != first.id)
    }

    @Test func `run one after the other when they wait`() async throws {
        let world = try World.here
        let url = world.upstream.script("/line", .held(.status(200)))
        let first = try await world.submit(spec("line", "wait", url))
        await world.upstream.waitForCalls(of: "/line", 1)
        var rest: [LiveJob] = []
        for _ in 0..<5 { rest.append(try await world.submit(spec("line", "wait", url))) }
        let waiting = try await rest[0].now()
        #expect(waiting.at("/state") == "pending")
        #expect(waiting.at("/waiting_on/0/kind") == "unique")
        #expect(waiting.at("/waiting_on/0/detail")?.string?.contains(first.id) == true)
        let explained = try await world.get(rest[0].path + "/explain")
        #expect(explained.at("/waiting_on/0/kind") == "unique")
        #expect(explained.at("/waiting_on/0/holder_job_id")?.string == first.id)
        #expect(explained.at("/waiting_on/0/ahead") == 1)
        #expect(explained.at("/waiting_on/0/since") != nil)
        #expect(try await rest[4].cancel().at("/state") == "cancelled")
        world.upstream.release("/line")
        for job in rest.dropLast() { #expect(try await job.ended().state == "succeeded") }
        #expect(world.upstream.mostAtOnce(of: "/line") == 1)
        #expect(world.upstream.count(of: "/line") == 5)
    }

    @Test func `take the place of one that runs`() async throws {
        let world = try World.here
        let url = world.upstream.script("/place", .held(.status(200)))
        let first = try await world.submit(spec("place", "reject", url))
        await world.upstream.waitForCalls(of: "/place", 1)
        let quick = world.upstream.script("/quick-place", .status(200))
        let second = try await world.submit(spec("place", "replace", quick))
        let ended = try await first.ended()
        #expect(ended.state == "cancelled")
        #expect(ended.codes == ["cancelled.replaced"])
        #expect(ended.at("/error/detail")?.string?.contains("took its unique key.") == true, "\(ended)")
        #expect(try await second.ended().state == "succeeded")
        world.upstream.release("/place")
    }

    @Test func `are permitted in a batch like any others`() async throws {
        let world = try World.here
        let batch =
            #"[{"type": "delay", "for": "1h", "unique": "batch"}, "#
            + #"{"type": "value", "value": 1, "unique": {"key": "batch"}}, "#
            + #"{"type": "value", "value": 1, "unique": {"key": "batch", "on_conflict": "join"}}, "#
            + #"{"type": "value", "value": 1, "unique": {"key": "batch", "on_conflict": "replace"}}]"#
        let answer = try await world.post("/v1/jobs:batch", batch)
        #expect(answer.at("/items/0/status") == 202)
        #expect(answer.at("/items/1/status") == 409)
        #expect(answer.at("/items/1/problem/job_id") == answer.at("/items/0/job/id"))
        #expect(answer.at("/items/2/status") == 200)
        #expect(answer.at("/items/2/joined") == true)
        #expect(answer.at("/items/3/status") == 202)
        let (old, new) = (
            answer.at("/items/0/job/id")?.string ?? "", answer.at("/items/3/job/id")?.string ?? ""
        )
        #expect(try await LiveJob(id: old, world: world).ended().codes == ["cancelled.replaced"])
        #expect(try await LiveJob(id: new, world: world).ended().state == "succeeded")
        #expect(try await world.post("/v1/jobs:batch?atomic=true", batch).status == 409)
    }

    @Test func `keep their line when the server is killed`() async throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let unique = #""unique": {"key": "killed", "on_conflict": "wait"}"#
        let ids: [String]
        do {
            let server = try LiveProgram(directory: home)
            ids = [
                try server.submit(#"{"type": "delay", "for": "1h", \#(unique)}"#),
                try server.submit(#"{"type": "value", "value": 1, \#(unique)}"#),
            ]
            #expect(try server.get("/v1/jobs/\(ids[1])").at("/state") == "pending")
            _ = server.stop(SIGKILL)
        }
        let server = try LiveProgram(directory: home)
        #expect(try server.get("/v1/jobs/\(ids[1])").at("/state") == "pending")
        _ = try server.post("/v1/jobs/\(ids[0]):cancel")
        #expect(
            try server.get("/v1/jobs/\(ids[1])", headers: ["Prefer: wait=20"]).at("/state") == "succeeded")
    }
}
