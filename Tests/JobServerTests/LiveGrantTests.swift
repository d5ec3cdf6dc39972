import Foundation
import StrictJSON
import Testing

/// Grants over HTTP.
@Suite(.serialized) struct `A live grant` {
    private let needsMail = #"""
        {"type": "value", "name": "send", "value": 1,
         "conditions": [{"type": "authorized_for", "grant": "mail", "scope": "send"}]}
        """#

    @Test func `is asked for by jobs, decided by a person, and forgotten again`() throws {
        let server = try LiveServer()
        #expect(try server.get("/v1/grants").at("/items") == [])
        #expect(try server.get("/v1/grants/mail").status == 404)
        let job = try server.submit(needsMail)
        try server.rest(job)
        let shown = try server.get("/v1/grants/mail")
        #expect(shown.at("/state") == "undetermined")
        #expect(shown.at("/waiting_job_ids/0")?.string == job)
        #expect(shown.at("/request/job_id")?.string == job)
        #expect(shown.at("/request/scope") == "send")
        #expect(try server.get("/v1/grants").at("/items/0/name") == "mail")

        let granted = try server.send(
            "PUT", "/v1/grants/mail",
            body:
                #"{"state": "granted", "scopes": ["send"], "reason": "until tonight", "expires_at": "2099-01-01T00:00:00Z"}"#
        )
        #expect(granted.status == 201)
        #expect(granted.at("/state") == "granted")
        #expect(granted.at("/spec/scopes") == ["send"])
        #expect(granted.at("/updated_by") == nil)
        #expect(granted.at("/request") == nil)
        #expect(try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=20"]).at("/state") == "succeeded")
        #expect(try server.send("DELETE", "/v1/grants/mail").status == 204)
        #expect(try server.send("DELETE", "/v1/grants/mail").status == 404)
        #expect(try server.send("PUT", "/v1/grants/mail", body: #"{"state": "denied"}"#).status == 201)
        let refused = try server.post("/v1/jobs", needsMail, headers: ["Prefer: wait=20"])
        #expect(refused.at("/error/code") == "condition.not_authorized")
    }

    @Test func `wakes all of many jobs, in parts`() throws {
        let server = try LiveServer()
        let specs = Array(repeating: needsMail, count: 450).joined(separator: ",")
        #expect(try server.post("/v1/jobs:batch", "[\(specs)]").status == 200)
        func wait(for state: String) throws -> Bool {
            for _ in 0..<200 {
                if try server.get("/v1/jobs:count?state=\(state)").at("/count") == 450 { return true }
                usleep(100_000)
            }
            return false
        }
        #expect(try wait(for: "pending"))
        #expect(
            try server.send("PUT", "/v1/grants/mail", body: #"{"state": "granted", "scopes": ["send"]}"#)
                .status
                == 201)
        #expect(try wait(for: "succeeded"))
    }

    @Test func `explains an invalid decision`() throws {
        let server = try LiveServer()
        func put(_ body: String) throws -> LiveServer.Answer {
            try server.send("PUT", "/v1/grants/mail", body: body)
        }
        #expect(try put(#"{}"#).at("/errors/0/pointer") == "/state")
        #expect(try put(#"{"state": "grantd"}"#).at("/errors/0/suggestion") == "granted")
        #expect(try put(#"{"state": "expired"}"#).status == 400)
        #expect(try put(#"{"state": "granted", "scopes": ["a b"]}"#).at("/errors/0/pointer") == "/scopes")
        #expect(
            try put(#"{"state": "granted", "expires_at": "soon"}"#).at("/errors/0/pointer") == "/expires_at")
        #expect(try put(#"{"state": "denied", "scopes": ["a"]}"#).status == 400)
        #expect(try put(#"{"state": "denied", "reson": "no"}"#).at("/errors/0/suggestion") == "reason")
        #expect(try server.send("PUT", "/v1/grants/Mail", body: #"{"state": "denied"}"#).status == 404)
        #expect(try server.get("/v1/grants/mail").status == 404)
    }
}
