import StrictJSON
import Testing

@Suite struct `A request with a key that its route does not honour` {
    private static let key = ["Idempotency-Key: k-1"]

    @Test func `does nothing and says how to act once`() throws {
        let server = try LiveServer()
        let id = try server.submit(
            #"{"type": "group", "operations": [{"type": "await", "name": "go", "signal": "go"}]}"#)
        let ended = try server.submit(#"{"type": "value", "value": 1}"#)
        #expect(
            try server.get("/v1/jobs/\(ended)", headers: ["Prefer: wait=10"]).at("/state") == "succeeded")
        let requeue = #"{"action": "requeue", "ids": ["\#(ended)"]}"#
        let member = #"{"operation": {"type": "value", "value": 5}}"#
        for (path, body, remedy) in [
            ("/v1/bulk-actions", requeue, "GET /v1/bulk-actions"),
            ("/v1/jobs/\(id)/signals/go", "{}", "signal"),
            ("/v1/jobs/\(id)/operations", member, "\"name\""), ("/v1/jobs/\(ended):retry", "{}", "409"),
            ("/v1/schedules/nightly:backfill", #"{"from": "2026-01-01T00:00:00Z"}"#, "missing"),
            ("/v1/connections/crm:test", "{}", "call"),
        ] {
            let answer = try server.post(path, body, headers: Self.key)
            #expect(answer.status == 400, "\(path): \(answer.json)")
            #expect(answer.at("/type") == "/v1/problems/header.invalid")
            let detail = answer.at("/detail")?.string ?? ""
            #expect(detail.contains("Idempotency-Key is not honoured here, so nothing was done"), "\(detail)")
            #expect(detail.contains(remedy), "\(path): \(detail)")
        }
        #expect(try server.get("/v1/bulk-actions").at("/items") == [])
        #expect(try server.get("/v1/jobs").at("/items")?.array?.count == 2)
        #expect(try server.get("/v1/jobs/\(id)/operations").at("/items")?.array?.count == 2)
        #expect(try server.get("/v1/jobs/\(id)").at("/done") == false)
    }

    @Test func `is served where a repetition changes nothing further`() throws {
        let server = try LiveServer()
        let id = try server.submit(#"{"type": "delay", "for": "1h"}"#)
        for _ in 1...2 {
            #expect(
                try server.send("PUT", "/v1/secrets/crm", headers: Self.key, body: #"{"text": "new-s3cr3t"}"#)
                    .status < 300)
            #expect(try server.post("/v1/queues/mail:pause", "{}", headers: Self.key).status == 200)
            #expect(try server.post("/v1/jobs/\(id):hold", "{}", headers: Self.key).status < 300)
            #expect(try server.post("/v1/jobs/\(id):release", "{}", headers: Self.key).status == 200)
        }
        for _ in 1...2 {
            #expect(try server.post("/v1/jobs/\(id):cancel", "{}", headers: Self.key).status < 300)
        }
        #expect(
            try server.get("/v1/jobs/\(id)", headers: Self.key + ["Prefer: wait=10"]).at("/state")
                == "cancelled")
    }
}
