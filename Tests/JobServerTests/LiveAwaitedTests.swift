import Foundation
import StrictJSON
import Testing

/// Changes that are answered with a job, when a client waits for its end, and jobs that are submitted again.
@Suite(.serialized) struct `A live server whose clients wait` {
    private static let wait = ["Prefer: wait=20"]

    @Test func `answers each change of a job at its end`() throws {
        let server = try LiveServer()
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/slow", .held(.status(200)))
        let running = try server.submit(#"{"type": "network", "request": "\#(url)"}"#)
        let cancelled = try server.post("/v1/jobs/\(running):cancel", headers: Self.wait)
        #expect(cancelled.status == 200)
        #expect(cancelled.at("/state") == "cancelled")
        #expect(cancelled.field("preference-applied") == "wait=20")

        let failing = #"{"type": "value", "value": {"$job": "labels", "at": "/none"}}"#
        let failed = try server.post("/v1/jobs", failing, headers: Self.wait)
        let id = try #require(failed.at("/id")?.string)
        let retried = try server.post("/v1/jobs/\(id):retry", headers: Self.wait)
        #expect(retried.status == 200)
        #expect(retried.at("/state") == "failed")

        let asking = try server.submit(
            #"{"type": "group", "operations": [{"type": "await", "name": "go", "signal": "go"}]}"#)
        let signalled = try server.post("/v1/jobs/\(asking)/signals/go", "{}", headers: Self.wait)
        #expect(signalled.status == 200)
        #expect(signalled.at("/state") == "succeeded")

        let waiting = try server.submit(#"{"type": "value", "value": 1, "run_at": "1h"}"#)
        let held = try server.post("/v1/jobs/\(waiting):hold", headers: Self.wait)
        #expect(held.status == 200)
        #expect(held.at("/done") == false)

        _ = try server.send(
            "PUT", "/v1/schedules/yearly",
            body: #"{"cron": "0 3 1 1 *", "job": {"type": "value", "value": 7}}"#)
        let made = try server.post("/v1/schedules/yearly:run", "{}", headers: Self.wait)
        #expect(made.status == 200)
        #expect(made.at("/result/inline") == 7)
        #expect(made.field("content-location") == made.field("location"))
    }

    @Test func `answers a change that takes longer than the wait as it stands`() throws {
        let server = try LiveServer()
        let held = try server.submit(#"{"type": "value", "value": 1, "run_at": "1h"}"#)
        _ = try server.post("/v1/jobs/\(held):hold")
        let released = try server.post("/v1/jobs/\(held):release", headers: ["Prefer: wait=1"])
        #expect(released.status == 200)
        #expect(released.at("/state") == "scheduled")
        let short = try server.post("/v1/jobs/\(held):hold", headers: ["Prefer: return=minimal"])
        #expect(short.at("/id")?.string == held)
        #expect(short.at("/created_at") == nil)
    }

    @Test func `submits the spec of an ended job again, once for each key`() throws {
        let server = try LiveServer()
        let spec =
            #"{"type": "value", "name": "n", "value": {"a": 1}, "labels": {"team": "x"}, "priority": 7}"#
        let ended = try server.post("/v1/jobs", spec, headers: Self.wait)
        let id = try #require(ended.at("/id")?.string)
        let again = try server.post("/v1/jobs/\(id):requeue", headers: Self.wait + ["Idempotency-Key: k"])
        #expect(again.status == 200, "\(again.json)")
        let new = try #require(again.at("/id")?.string)
        #expect(new != id)
        #expect(again.field("location") == "/v1/jobs/\(new)")
        #expect(again.at("/result/inline/a") == 1)
        #expect(again.at("/labels/team") == "x")
        #expect(again.at("/priority") == 7)
        let repeated = try server.post("/v1/jobs/\(id):requeue", headers: ["Idempotency-Key: k"])
        #expect(repeated.at("/id")?.string == new)
        #expect(repeated.field("idempotency-replayed") == "true")
        #expect(try server.post("/v1/jobs/\(id):requeue").status == 202)
        #expect(try server.get("/v1/jobs?name=n").at("/items")?.array?.count == 3)
        #expect(try server.get("/v1/jobs/\(id)").at("/state") == "succeeded")
    }

    @Test func `submits no job again that has not ended, and none that there is not`() throws {
        let server = try LiveServer()
        let waiting = try server.submit(#"{"type": "value", "value": 1, "run_at": "1h"}"#)
        let refused = try server.post("/v1/jobs/\(waiting):requeue")
        #expect(refused.status == 409)
        #expect(refused.at("/code") == "job.not_finished")
        #expect(try server.post("/v1/jobs/job_00000000000000000000000000:requeue").status == 404)
        #expect(try server.get("/v1/jobs").at("/items")?.array?.count == 1)
    }
}
