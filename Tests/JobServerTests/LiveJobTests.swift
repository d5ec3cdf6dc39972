import Foundation
import StrictJSON
import Testing

/// The contract of the real program: the documented statuses of each route.
@Suite(.serialized) struct `The live server` {
    private let later = #"{"type": "delay", "for": "1s", "run_at": "1h"}"#

    @Test func `stores a job and shows it`() throws {
        let server = try LiveServer()
        let made = try server.post("/v1/jobs", later)
        #expect(made.status == 202)
        let id = try #require(made.at("/id")?.string)
        #expect(made.field("location") == "/v1/jobs/\(id)")
        #expect(made.field("etag") == "\"r1\"")
        #expect(made.field("retry-after") == "3600")
        #expect(made.at("/state") == "scheduled")

        let shown = try server.get("/v1/jobs/\(id)")
        #expect(shown.status == 200)
        #expect(shown.at("/id")?.string == id)
        #expect(shown.at("/waiting_on/0/kind") == "time")
        #expect(try server.get("/v1/jobs/\(id)", headers: ["If-None-Match: \"r1\""]).status == 304)
        #expect(try server.get("/v1/jobs/\(id)", headers: ["If-None-Match: \"r9\""]).status == 200)
        #expect(try server.send("HEAD", "/v1/jobs/\(id)").status == 200)
        #expect(try server.get("/v1/jobs/\(id)/spec").at("/run_at") == "1h")
        #expect(try server.get("/v1/jobs/\(id)/operations").at("/items/0/type") == "delay")
        #expect(try server.get("/v1/jobs/\(id)/attempts").at("/items") == [])
        #expect(try server.get("/v1/jobs/\(id)/attempts?operation=nobody").status == 400)
        #expect(try server.get("/v1/jobs/\(id)/events").status == 200)
        #expect(try server.get("/v1/jobs/\(id)/result").status == 202)
        #expect(try server.get("/v1/jobs/\(id)").at("/error") == nil)
    }

    @Test func `keeps labels and metadata through a cancellation and another try`() throws {
        let server = try LiveServer()
        let id = try server.submit(
            #"{"type": "value", "value": 1, "run_at": "1h", "labels": {"team": "a"}, "metadata": {"order": [7]}}"#
        )
        _ = try server.post("/v1/jobs/\(id):cancel")
        #expect(try server.get("/v1/jobs/\(id)").at("/metadata/order/0") == 7)
        _ = try server.post("/v1/jobs/\(id):retry")
        let done = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=10"])
        #expect(done.at("/state") == "succeeded")
        #expect(done.at("/metadata/order/0") == 7)
        #expect(try server.get("/v1/jobs?label.team=a").at("/items/0/id")?.string == id)
        let result = try server.get("/v1/jobs/\(id)/result")
        #expect(result.status == 200)
        #expect(result.field("content-type") == "application/json")
        #expect(String(decoding: result.body, as: UTF8.self) == "1")
        #expect(try server.get("/v1/jobs/\(id)").at("/error") == nil)
    }

    @Test func `may not have the labels by which its own jobs are found`() throws {
        let server = try LiveServer()
        for label in ["schedule", "callback_of", "hook"] {
            let spec = #"{"type": "value", "value": 1, "labels": {"\#(label)": "x"}}"#
            let refused = try server.post("/v1/jobs", spec)
            #expect(refused.status == 422)
            #expect(refused.at("/errors/0/pointer")?.string == "/labels/\(label)")
            #expect(refused.at("/errors/0/code") == "spec.not_available")
            let batch = try server.post("/v1/jobs:batch", "[\(spec)]")
            #expect(batch.at("/items/0/problem/errors/0/pointer")?.string == "/labels/\(label)")
        }
        #expect(try server.get("/v1/jobs").at("/items") == [])
    }

    @Test func `is listed in short, and with its result and its error on request`() throws {
        let server = try LiveServer()
        let good = try server.submit(#"{"type": "value", "name": "good", "value": {"n": 7}}"#)
        let bad = try server.submit(
            #"""
            {"type": "group", "name": "bad", "operations": [
                {"type": "network", "name": "b", "request": "http://127.0.0.1:1/", "retry": {"max_attempts": 1}},
                {"type": "network", "name": "c", "request": "http://127.0.0.1:1/", "retry": {"max_attempts": 1}}]}
            """#)
        let whole = try server.rest(bad)
        #expect(try server.rest(good).at("/state") == "succeeded")
        #expect((whole.at("/errors")?.array?.count ?? 0) >= 2, "\(whole.json)")
        let short = try server.get("/v1/jobs?name=bad").at("/items/0")?.object
        #expect(short?["error"]?.object?["code"] == whole.at("/error/code"))
        #expect(short?["errors"] == nil)
        #expect(short?["error_count"]?.number?.int == whole.at("/errors")?.array?.count)
        let full = try server.get("/v1/jobs?name=bad&view=full").at("/items/0")?.object
        #expect(full?["errors"] == whole.at("/errors"))
        #expect(full?["error_count"] == nil)
        #expect(try server.get("/v1/jobs?name=good").at("/items/0/result/bytes") == 7)
        #expect(try server.get("/v1/jobs?name=good").at("/items/0/result/inline") == nil)
        #expect(try server.get("/v1/jobs?name=good&view=full").at("/items/0/result/inline/n") == 7)
        let operations = "/v1/jobs/\(bad)/operations"
        #expect(try server.get(operations).at("/items/0/errors") == nil)
        #expect(try server.get("\(operations)?view=full").at("/items/0/errors") == whole.at("/errors"))
        let wrong = try server.get("/v1/jobs?view=fulll")
        #expect(wrong.status == 400)
        #expect(wrong.at("/errors/0/suggestion") == "full")
    }

    @Test func `waits for the end of a job on request`() throws {
        let server = try LiveServer()
        let done = try server.post(
            "/v1/jobs", #"{"type": "delay", "for": "200ms"}"#, headers: ["Prefer: wait=10"])
        #expect(done.status == 200)
        #expect(done.at("/state") == "succeeded")
        #expect(done.field("content-location") == done.field("location"))
        #expect(done.field("preference-applied") == "wait=10")
        #expect(done.field("retry-after") == nil)
        let slow = try server.post(
            "/v1/jobs", #"{"type": "delay", "for": "30s"}"#, headers: ["Prefer: wait=1"])
        #expect(slow.status == 202)
        #expect(slow.field("preference-applied") == "wait=1")
    }

    @Test func `stops a job that runs`() throws {
        let server = try LiveServer()
        // A long request: a wait for a job that does not change.
        let still = server.url + "/v1/jobs/" + (try server.submit(later))
        let call = #"{"url": "\#(still)", "headers": {"Prefer": "wait=60"}}"#
        let id = try server.submit(#"{"type": "network", "request": \#(call)}"#)
        #expect(!id.isEmpty)
        let answer = try server.post("/v1/jobs/\(id):cancel")
        #expect([200, 202].contains(answer.status))
        let ended = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=20"])
        #expect(ended.at("/state") == "cancelled")
        #expect(ended.at("/error/code") == "cancelled.user")
    }

    @Test func `answers with as little as is asked for`() throws {
        let server = try LiveServer()
        let made = try server.post("/v1/jobs", later, headers: ["Prefer: return=minimal"])
        #expect(made.field("preference-applied") == "return=minimal")
        #expect(made.json.object?.members.map(\.name) == ["id", "state", "done"])
    }

    @Test func `has another ETag in its short form`() throws {
        let server = try LiveServer()
        let path = "/v1/jobs/" + (try server.submit(later))
        let short = ["Prefer: return=minimal"]
        let whole = try #require(server.get(path).field("etag"))
        let other = try #require(server.get(path, headers: short).field("etag"))
        #expect(whole != other)
        func status(_ tag: String, _ more: [String] = []) throws -> Int {
            try server.get(path, headers: ["If-None-Match: \(tag)"] + more).status
        }
        #expect(try status(whole) == 304)
        #expect(try status(other) == 200)
        #expect(try status(other, short) == 304)
        #expect(try status(whole, short) == 200)
        // A long poll for a change accepts either form.
        #expect(try status(other, ["Prefer: return=minimal, wait=1"]) == 304)
    }

    @Test func `reads only what If-Match names`() throws {
        let server = try LiveServer()
        let path = "/v1/jobs/" + (try server.submit(later))
        func answer(_ fields: String..., method: String = "GET") throws -> LiveServer.Answer {
            try server.send(method, path, headers: fields)
        }
        #expect(try answer("If-Match: \"r1\"").status == 200)
        #expect(try answer("If-Match: \"r0\", \"r1\"").status == 200)
        #expect(try answer("If-Match: *").status == 200)
        #expect(try answer("If-Match: \"r1\"", "If-None-Match: \"r1\"").status == 304)
        let other = try answer("If-Match: \"r9\"")
        #expect(other.status == 412)
        #expect(other.at("/code") == "request.precondition")
        #expect(other.at("/detail")?.string?.contains("The ETag is \"r1\"") == true)
        // The comparison is strong, and comes before If-None-Match (RFC 9110 §13.2.2).
        #expect(try answer("If-Match: W/\"r1\"").status == 412)
        #expect(try answer("If-Match: \"r9\"", "If-None-Match: \"r1\"").status == 412)
        #expect(try answer("If-Match: \"r9\"", method: "HEAD").status == 412)
        #expect(try server.get("/v1/jobs/job_nothing", headers: ["If-Match: *"]).status == 404)
    }

    @Test func `cancels, retries and erases`() throws {
        let server = try LiveServer()
        let id = try server.submit(later)
        #expect(try server.send("DELETE", "/v1/jobs/\(id)").status == 409)
        #expect(try server.post("/v1/jobs/\(id):retry").status == 409)
        let cancelled = try server.post("/v1/jobs/\(id):cancel", #"{"reason": "not needed"}"#)
        #expect(cancelled.status == 200)
        #expect(cancelled.at("/state") == "cancelled")
        #expect(try server.post("/v1/jobs/\(id):cancel").status == 200)
        #expect(cancelled.at("/error/code") == "cancelled.user")
        #expect(cancelled.at("/error/detail")?.string?.contains("not needed") == true)
        let result = try server.get("/v1/jobs/\(id)/result")
        #expect(result.status == 404)
        #expect(result.at("/error/code") == "cancelled.user")
        let events = try server.get("/v1/jobs/\(id)/events")
        #expect(events.at("/items/0/type") == "cancel_requested")
        #expect(events.at("/items/1/type") == "finished")
        #expect(events.at("/items/1/error_code") == "cancelled.user")
        let root = try server.get("/v1/jobs/\(id)/operations")
        #expect(root.at("/items/0/error/detail")?.string?.contains("not needed") == true)
        #expect(root.at("/items/0/finished_at") != nil)
        #expect(try server.send("DELETE", "/v1/jobs/\(id)").status == 204)
        #expect(try server.get("/v1/jobs/\(id)").status == 404)
        #expect(try server.send("DELETE", "/v1/jobs/\(id)").status == 404)
        #expect(try server.post("/v1/jobs/\(id):cancel").status == 404)
        #expect(try server.post("/v1/jobs/\(id):retry").status == 404)
        let other = try server.submit(later)
        _ = try server.post("/v1/jobs/\(other):cancel")
        #expect(try server.post("/v1/jobs/\(other):retry").status == 202)
        #expect(
            try server.post("/v1/jobs/\(other):cancel", #"{"raeson": "x"}"#).at("/errors/0/suggestion")
                == "reason")
    }

    @Test(arguments: ["If-Match: \"r9\"", "If-None-Match: *"])
    func `is not changed under a condition that is not evaluated`(condition: String) throws {
        let server = try LiveServer()
        let id = try server.submit(#"{"type": "delay", "for": "1h"}"#)
        let stopped = try server.post("/v1/jobs/\(id):cancel", "{}", headers: [condition])
        #expect(stopped.status == 400)
        #expect(stopped.at("/detail")?.string?.contains("nothing was done") == true)
        #expect(try server.get("/v1/jobs/\(id)").at("/done") == false)
    }

    @Test func `finds the job that an idempotency key made`() throws {
        let server = try LiveServer()
        let key = ["Idempotency-Key: \"a-1\""]
        let first = try server.post("/v1/jobs", later, headers: key)
        let again = try server.post(
            "/v1/jobs", #"{ "run_at":"1h", "for":"1s", "type":"delay" }"#, headers: key)
        #expect(again.status == 202)
        #expect(again.at("/id") == first.at("/id"))
        #expect(again.field("idempotency-replayed") == "true")
        let other = try server.post(
            "/v1/jobs", #"{"type": "delay", "for": "2s", "run_at": "1h"}"#, headers: key)
        #expect(other.status == 422)
        #expect(other.at("/type") == "/v1/problems/idempotency.key_reused")
        #expect(other.at("/job_id") == first.at("/id"))
        #expect(try server.post("/v1/jobs", later, headers: ["Idempotency-Key;"]).status == 400)
        let look = try server.post("/v1/jobs?validate_only=true", later, headers: ["Idempotency-Key;"])
        #expect(look.at("/code") == "header.invalid")
    }

    @Test func `creates no second job while a key is valid, though the first is deleted`() throws {
        let server = try LiveServer()
        let key = ["Idempotency-Key: b-1"]
        let spec = #"{"type": "value", "value": 1}"#
        let made = try server.post("/v1/jobs", spec, headers: key + ["Prefer: wait=10"])
        let id = try #require(made.at("/id")?.string)
        #expect(try server.send("DELETE", "/v1/jobs/\(id)").status == 204)
        let again = try server.post("/v1/jobs", spec, headers: key)
        #expect(again.status == 410)
        #expect(again.at("/code") == "idempotency.job_gone")
        #expect(again.at("/job_id")?.string == id)
        #expect(again.at("/detail")?.string?.contains("new key") == true)
        #expect(try server.get("/v1/jobs").at("/items") == [])
        let other = try server.post("/v1/jobs", later, headers: key)
        #expect(other.status == 422)
        #expect(other.at("/job_id")?.string == id)
        let parts = "[\(spec), \(later)]"
        let first = try server.post("/v1/jobs:batch", parts, headers: ["Idempotency-Key: b-2"])
        let part = try #require(first.at("/items/0/job/id")?.string)
        _ = try server.get("/v1/jobs/\(part)", headers: ["Prefer: wait=10"])
        #expect(try server.send("DELETE", "/v1/jobs/\(part)").status == 204)
        let second = try server.post("/v1/jobs:batch", parts, headers: ["Idempotency-Key: b-2"])
        #expect(second.at("/items/0/status") == 410)
        #expect(second.at("/items/0/problem/job_id")?.string == part)
        #expect(second.at("/items/1/replayed") == true)
    }

    @Test func `lists in pages that fit their filters`() throws {
        let server = try LiveServer()
        // Ids of one millisecond have an order of their own.
        let ids = try (0..<5).map { _ in try server.submit(later) }.sorted()
        let first = try server.get("/v1/jobs?state=scheduled&page_size=2")
        #expect(
            first.json.object?["items"]?.array?.compactMap { $0.object?["id"]?.string } == [ids[4], ids[3]])
        let token = try #require(first.at("/next_page_token")?.string)
        #expect(
            first.field("link") == "</v1/jobs?state=scheduled&page_size=2&page_token=\(token)>; rel=\"next\"")
        let second = try server.get("/v1/jobs?state=scheduled&page_size=9&page_token=\(token)")
        #expect(
            second.json.object?["items"]?.array?.compactMap { $0.object?["id"]?.string } == [
                ids[2], ids[1], ids[0],
            ])
        #expect(second.at("/next_page_token") == nil)
        #expect(try server.get("/v1/jobs?state=failed&page_token=\(token)").status == 400)
        #expect(try server.get("/v1/jobs?stat=failed").at("/errors/0/suggestion") == "state")
    }

    @Test func `holds an answer until the job changes`() throws {
        let server = try LiveServer()
        let id = try server.submit(later)
        let started = Date()
        let unchanged = try server.get(
            "/v1/jobs/\(id)", headers: ["Prefer: wait=1", "If-None-Match: \"r1\""])
        #expect(unchanged.status == 304)
        #expect(Date().timeIntervalSince(started) >= 0.9)
        #expect(
            try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=1", "If-None-Match: \"r0\""]).status
                == 200)
    }

    @Test(arguments: [
        ("{", 400, "json.malformed"), ("{\"type\": \"delay\", \"type\": \"delay\"}", 400, "json.malformed"),
        ("[]", 422, "spec.invalid"), ("{\"type\": \"dealy\", \"for\": \"1s\"}", 422, "spec.invalid"),
    ])
    func `refuses a bad spec and creates nothing`(spec: String, status: Int, code: String) throws {
        let server = try LiveServer()
        let answer = try server.post("/v1/jobs", spec)
        #expect(answer.status == status)
        #expect(answer.field("content-type") == "application/problem+json")
        #expect(answer.at("/code")?.string == code)
        #expect(answer.at("/type")?.string == "/v1/problems/\(code)")
        #expect(answer.at("/request_id")?.string == answer.field("x-request-id"))
        #expect(try server.get("/v1/jobs").at("/items") == [])
    }
}
