import FaultyHTTP
import Foundation
import StrictJSON
import Testing

@Suite struct `Explaining a job over HTTP` {
    /// The explanation of a job that rests for a cause of this kind.
    private func explain(_ server: LiveServer, _ id: String, resting kind: String) throws -> LiveServer.Answer
    {
        try server.rest(id)
        let answer = try server.get("/v1/jobs/\(id)/explain")
        #expect(answer.at("/waiting_on/0/kind")?.string == kind)
        return answer
    }

    @Test func `explains each operation of a waiting job`() throws {
        let server = try LiveServer()
        let id = try server.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
                {"type": "await", "name": "paid", "signal": "paid"},
                {"type": "value", "name": "done", "value": 1}]}
            """#)
        let answer = try explain(server, id, resting: "signal")
        #expect(answer.status == 200)
        #expect(answer.at("/waiting_on/0/signal") == "paid")
        #expect(answer.at("/next")?.string?.contains("/signals/paid") == true)
        let operations = answer.at("/operations")?.array ?? []
        #expect(operations.map { $0.object?["operation"]?.string } == ["_root", "paid", "done"])
        #expect(answer.at("/operations/2/waiting_on/0/kind") == "dependency")
        #expect(answer.at("/operations/2/waiting_on/0/dependency") == "paid")
        _ = try server.post("/v1/jobs/\(id):hold", #"{"reason": "closed"}"#)
        let held = try server.get("/v1/jobs/\(id)/explain")
        #expect(held.at("/waiting_on/0/kind") == "hold")
        #expect(held.at("/summary")?.string?.contains("closed") == true)
    }

    @Test func `names the request that ends a wait, and holds a job in one sentence`() throws {
        let server = try LiveServer()
        let id = try server.submit(#"{"type": "await", "signal": "go"}"#)
        let waiting = try explain(server, id, resting: "signal")
        #expect(waiting.at("/next")?.string?.contains("POST /v1/jobs/\(id)/signals/go") == true)
        #expect(try server.post("/v1/jobs/\(id):hold", #"{"reason": "bank"}"#).status < 300)
        let held = try explain(server, id, resting: "hold")
        #expect(held.at("/summary") == "The job is held: bank. Release it with :release.")
    }

    @Test func `promises no time for held operations`() throws {
        let server = try LiveServer()
        let id = try server.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "group", "name": "in", "operations": [
                    {"type": "repeat", "name": "r", "max_runs": 2, "every": "1h",
                     "operation": {"type": "value", "value": 1}}]}]}
            """#)
        _ = try explain(server, id, resting: "time")
        let before = try server.get("/v1/jobs/\(id)/operations")
        #expect(before.at("/items/1/operation") == "in")
        #expect(before.at("/items/1/state") == "waiting")
        _ = try server.post("/v1/jobs/\(id):hold", #"{"reason": "closed"}"#)
        let held = try server.get("/v1/jobs/\(id)/explain")
        let operations = held.at("/operations")?.array ?? []
        let repetition = try #require(operations.first { $0.object?["operation"] == "in/r" }?.object)
        #expect(repetition["next"]?.string?.contains(":release") == true, "\(repetition)")
        #expect(repetition["waiting_on"]?.array?.count == 2)
        #expect(try server.get("/v1/jobs/\(id)/operations").at("/items/1/state") == "held")
    }

    @Test func `names the members of a map by their numbers`() throws {
        let server = try LiveServer()
        let id = try server.submit(
            #"""
            {"type": "group", "name": "all", "map": {"items": [1, 2],
             "operation": {"type": "delay", "name": "c", "for": "1h"}}}
            """#)
        try server.rest(id)
        let answer = try server.get("/v1/jobs/\(id)/explain")
        let causes = answer.at("/operations/0/waiting_on/0")?.object
        #expect(causes?["detail"] == "Unfinished members: 1, 2.", "\(answer)")
    }

    @Test func `names the job that has the exclusive key, and the place in the line`() throws {
        let server = try LiveServer()
        let spec =
            #"{"type": "await", "signal": "s", "conditions": [{"type": "lock", "key": "k"}]}"#
        let first = try server.submit(spec)
        _ = try explain(server, first, resting: "signal")
        let second = try server.submit(spec)
        let answer = try explain(server, second, resting: "lock")
        #expect(answer.at("/waiting_on/0/locks") == ["k"])
        #expect(answer.at("/waiting_on/0/holder_job_id")?.string == first)
        #expect(
            answer.at("/waiting_on/0/detail")?.string
                == "It waits for the exclusive key k, which \(first) holds."
        )
        #expect(answer.at("/waiting_on/0/ahead") == 0)
        #expect(answer.at("/waiting_on/0/since") != nil)
    }

    @Test func `has the start of a scheduled job, and the end of a finished one`() throws {
        let server = try LiveServer()
        let later = try server.submit(#"{"type": "value", "value": 1, "run_at": "1h"}"#)
        let scheduled = try server.get("/v1/jobs/\(later)/explain")
        #expect(scheduled.at("/waiting_on/0/kind") == "time")
        #expect(scheduled.at("/waiting_on/0/estimated_until") != nil)
        let done = try server.submit(#"{"type": "value", "value": 1}"#, headers: ["Prefer: wait=10"])
        let over = try server.get("/v1/jobs/\(done)/explain")
        #expect(over.at("/summary") == "The job is over: succeeded.")
        #expect(over.at("/operations")?.array?.isEmpty == true)
        #expect(try server.get("/v1/jobs/job_00000000000000000000000000/explain").status == 404)
    }

    @Test func `says of a failed job which operation failed, in which attempt, and what to do`() throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/", .status(503))
        let server = try LiveServer()
        let id = try server.submit(
            #"""
            {"type": "group", "operations": [{"type": "group", "name": "login", "operations": [
                {"type": "network", "name": "token", "request": "\#(url)",
                 "retry": {"max_attempts": 2, "backoff": "1ms", "jitter": "none"}}]}]}
            """#)
        #expect(try server.rest(id).at("/state") == "failed")
        let answer = try server.get("/v1/jobs/\(id)/explain")
        let summary = answer.at("/summary")?.string ?? ""
        #expect(summary.hasPrefix("The job failed in login/token, attempt 2: "), "\(summary)")
        #expect(summary.hasSuffix(" It has used all its attempts."), "\(summary)")
        let next = answer.at("/next")?.string ?? ""
        #expect(next.contains("It may succeed when it is repeated: POST /v1/jobs/\(id):retry"), "\(next)")
        #expect(answer.at("/error/code") == "http.status")
        #expect(answer.at("/error/operation") == "login/token")
        #expect(answer.at("/waiting_on") == nil)
    }

    @Test func `says of a cancelled job who cancelled it and why`() throws {
        let server = try LiveServer()
        let id = try server.submit(#"{"type": "value", "value": 1, "run_at": "1h"}"#)
        _ = try server.post("/v1/jobs/\(id):cancel", #"{"reason": "too late"}"#)
        let answer = try server.get("/v1/jobs/\(id)/explain")
        #expect(
            answer.at("/summary")
                == "The job is over: cancelled. Cancelled before it ran. Reason: too late")
        #expect(answer.at("/next")?.string?.contains(":retry") == true)
    }

    @Test func `explains the rest of a job that is being cancelled, and nothing past`() throws {
        let server = try LiveServer()
        let id = try server.submit(
            #"""
            {"type": "group", "operations": [{"type": "await", "name": "paid", "signal": "paid"}],
             "finally": [{"type": "delay", "name": "tidy", "for": "1h"}]}
            """#)
        let before = try explain(server, id, resting: "signal")
        #expect(before.at("/waiting_on/1") == nil, "\(before)")
        #expect(before.at("/operations/2/waiting_on/0/kind") == "dependency", "\(before)")
        #expect(before.at("/operations/2/next")?.string?.contains("all other members") == true)
        _ = try server.post("/v1/jobs/\(id):cancel", "{}")
        let latest = Date(timeIntervalSinceNow: 20)
        while try server.get("/v1/jobs/\(id)/operations").at("/items/2/state") != "waiting", Date() < latest {
            continue
        }
        let job = try server.get("/v1/jobs/\(id)")
        #expect(job.at("/state") == "cancelling")
        #expect(job.at("/waiting_on") == nil, "\(job)")
        #expect(job.at("/operations") == nil, "\(job)")
        let after = try server.get("/v1/jobs/\(id)/explain")
        #expect(after.at("/waiting_on/0/kind") == "time", "\(after)")
        #expect(after.at("/operations/0/waiting_on/0/detail") == "Unfinished members: tidy.", "\(after)")
    }

    @Test func `requests nothing that arrived while the job was held`() throws {
        let server = try LiveServer()
        let id = try server.submit(#"{"type": "await", "signal": "paid"}"#)
        _ = try explain(server, id, resting: "signal")
        _ = try server.post("/v1/jobs/\(id):hold", "{}")
        _ = try server.post("/v1/jobs/\(id)/signals/paid", "1")
        let answer = try server.get("/v1/jobs/\(id)/explain")
        #expect(answer.at("/operations/0/waiting_on/0/kind") == "hold", "\(answer)")
        #expect(answer.at("/operations/0/waiting_on/1") == nil, "\(answer)")
    }
}
