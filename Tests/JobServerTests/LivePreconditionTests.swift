import StrictJSON
import Testing

/// If-Match and the like where nothing is compared with them.
@Suite struct `A request with a condition that its route does not evaluate` {
    @Test(arguments: [
        "If-Match: \"r9\"", "If-Match: *", "if-none-match: *",
        "If-Unmodified-Since: Sat, 28 Nov 2026 10:00:00 GMT",
    ])
    func `does nothing and says what to do instead`(condition: String) throws {
        let server = try LiveServer()
        let id = try server.submit(
            #"{"type": "group", "operations": [{"type": "await", "name": "go", "signal": "go"}]}"#)
        let spec = #"{"type": "value", "value": 1}"#
        #expect(try server.send("PUT", "/v1/templates/t", body: #"{"operation": \#(spec)}"#).status < 300)
        #expect(try server.send("PUT", "/v1/schedules/nightly", body: Self.nightly).status < 300)
        let changes = [
            ("/v1/jobs", spec, "Idempotency-Key"), ("/v1/jobs:batch", #"[\#(spec)]"#, "Idempotency-Key"),
            ("/v1/jobs/\(id):requeue", "{}", "Idempotency-Key"),
            ("/v1/schedules/nightly:run", "{}", "Idempotency-Key"),
            ("/v1/jobs/\(id)/operations", #"{"operation": \#(spec)}"#, "\"name\""),
            ("/v1/jobs/\(id)/signals/go", "{}", "signal"), ("/v1/jobs/\(id):cancel", "{}", "Look first"),
            ("/v1/jobs/\(id):hold", "{}", "Look first"),
            ("/v1/bulk-actions", #"{"action": "cancel", "ids": ["\#(id)"]}"#, "GET /v1/bulk-actions"),
        ]
        for (path, body, remedy) in changes {
            let answer = try server.post(path, body, headers: [condition])
            #expect(answer.status == 400, "\(path): \(answer.json)")
            #expect(answer.at("/type") == "/v1/problems/header.invalid")
            let detail = answer.at("/detail")?.string ?? ""
            #expect(detail.contains("is not evaluated here, so nothing was done"), "\(path): \(detail)")
            #expect(detail.contains(remedy), "\(path): \(detail)")
        }
        #expect(try server.get("/v1/jobs").at("/items")?.array?.count == 1)
        #expect(try server.get("/v1/bulk-actions").at("/items") == [])
        #expect(try server.get("/v1/jobs/\(id)/operations").at("/items")?.array?.count == 2)
        #expect(try server.get("/v1/jobs/\(id)").at("/done") == false)
        #expect(try server.get("/v1/jobs/\(id)").at("/state") != "paused")
        // For reads only (RFC 9110 §13.1.3).
        let read = ["If-Modified-Since: Sat, 28 Nov 2026 10:00:00 GMT"]
        #expect(try server.post("/v1/jobs", spec, headers: read).status < 300)
    }

    private static let nightly = #"""
        {"cron": "0 2 * * *", "job": {"type": "value", "value": 1}}
        """#

    @Test func `is refused where If-Match names a tag and the answer has none`() throws {
        let server = try LiveServer()
        let list = try server.get("/v1/jobs", headers: ["If-Match: \"r1\""])
        #expect(list.status == 412)
        #expect(list.at("/detail")?.string?.contains("no ETag") == true)
        #expect(try server.get("/v1/jobs", headers: ["If-Match: *"]).status == 200)
        // A missing job comes first (RFC 9110 §13.2.1).
        #expect(try server.get("/v1/jobs/job_nothing", headers: ["If-Match: \"r1\""]).status == 404)
        #expect(try server.get("/healthz", headers: ["If-Match: \"r1\""]).status == 412)
    }
}
