import Foundation
import StrictJSON
import Testing

/// Approvals over HTTP.
@Suite(.serialized) struct `A live approval` {
    /// A call to the server itself that a person must approve.
    private func payment(_ server: LiveServer, _ more: String = "") -> String {
        #"""
        {"type": "network", "name": "pay",
         "request": {"method": "GET", "url": "\#(server.url)/healthz", "auth": {"type": "bearer", "token": "s3cret"}},
         "conditions": [{"type": "approval", "prompt": "Pay?", "audience": "finance"\#(more)}]}
        """#
    }

    /// The path of the job's open approval.
    private func asked(_ server: LiveServer, _ job: String) throws -> String {
        try server.rest(job)
        let list = try server.get("/v1/approvals?state=open&job_id=\(job)")
        return "/v1/approvals/" + (list.at("/items/0/id")?.string ?? "none")
    }

    @Test func `is shown, answered once, and lets the job go on`() throws {
        let server = try LiveServer()
        let job = try server.submit(payment(server))
        let path = try asked(server, job)
        let shown = try server.get(path)
        #expect(shown.status == 200)
        #expect(shown.at("/state") == "open")
        #expect(shown.at("/prompt") == "Pay?")
        #expect(shown.at("/audience") == "finance")
        #expect(shown.at("/job_id")?.string == job)
        #expect(shown.at("/operation") == "_root")
        #expect(shown.at("/request/method") == "GET")
        #expect(shown.at("/request/url")?.string == server.url + "/healthz")
        #expect(shown.at("/request/headers/authorization") == "(hidden)")
        #expect(!String(decoding: shown.body, as: UTF8.self).contains("s3cret"))
        let digest = try #require(shown.at("/digest")?.string)
        #expect(digest.utf8.count == 71)
        #expect(shown.at("/links/approve")?.string == path + ":approve")
        let waiting = try server.get("/v1/jobs/\(job)")
        #expect(waiting.at("/waiting_on/0/kind") == "approval")
        #expect(waiting.at("/waiting_on/0/approval_id")?.string == shown.at("/id")?.string)
        #expect(waiting.at("/waiting_on/0/operation") == "_root")

        let stale = try server.post(path + ":approve", #"{"digest": "sha256:00"}"#)
        #expect(stale.status == 409)
        #expect(stale.at("/code") == "approval.stale")
        let wrong = try server.post(path + ":approve", #"{"coment": "yes"}"#)
        #expect(wrong.status == 400)
        #expect(wrong.at("/errors/0/suggestion") == "comment")
        let answer = try server.post(path + ":approve", #"{"comment": "fine", "digest": "\#(digest)"}"#)
        #expect(answer.status == 200)
        #expect(answer.at("/state") == "approved")
        #expect(answer.at("/decided_by") == nil)
        #expect(answer.at("/comment") == "fine")
        let second = try server.post(path + ":reject")
        #expect(second.status == 409)
        #expect(second.at("/code") == "approval.decided")
        #expect(second.at("/state") == "approved")
        #expect(try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=20"]).at("/state") == "succeeded")
        let metrics = String(decoding: try server.get("/metrics").body, as: UTF8.self)
        #expect(metrics.contains("jobserver_approvals_decided_total{answer=\"approved\"} 1\n"))
        let events = try server.get("/v1/jobs/\(job)/events").at("/items")?.array ?? []
        let types = events.compactMap { $0.object?["type"]?.string }
        #expect(types.contains("approval_requested"))
        #expect(types.contains("approved"))
        #expect(try server.get("/v1/approvals?state=open").at("/items") == [])
        #expect(
            try server.get("/v1/approvals?state=approved&audience=finance").at("/items/0/state") == "approved"
        )
    }

    @Test func `is withdrawn with its job, and unknown ones are not found`() throws {
        let server = try LiveServer()
        let job = try server.submit(payment(server))
        let path = try asked(server, job)
        _ = try server.post("/v1/jobs/\(job):cancel")
        let late = try server.post(path + ":approve")
        #expect(late.status == 410)
        #expect(late.at("/code") == "approval.closed")
        #expect(late.at("/state") == "withdrawn")
        #expect(try server.get("/v1/approvals/nobody").status == 404)
        #expect(try server.get("/v1/approvals/apr_01k9f3m8q4fj8s8e4rd0n3v2xy").status == 404)
        #expect(try server.post("/v1/approvals/apr_01k9f3m8q4fj8s8e4rd0n3v2xy:approve").status == 404)
        let typo = try server.get("/v1/approvals?state=opn")
        #expect(typo.status == 400)
        #expect(typo.at("/errors/0/suggestion") == "open")
        #expect(try server.get("/v1/approvals?page_token=p1_00").status == 400)
    }

    @Test func `outlives a killed server, and so does the answer`() throws {
        let directory = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let first = try LiveProgram(directory: directory)
        let waits = try first.submit(
            #"""
            {"type": "value", "name": "x", "value": 1, "conditions": [{"type": "approval", "prompt": "Go?"}]}
            """#)
        let path = try asked(first, waits)
        _ = first.stop(SIGKILL)
        let second = try LiveProgram(directory: directory)
        #expect(try second.get(path).at("/state") == "open")
        #expect(try second.post(path + ":reject", #"{"comment": "not today"}"#).status == 200)
        _ = second.stop(SIGKILL)
        let third = try LiveProgram(directory: directory)
        let ended = try third.get("/v1/jobs/\(waits)", headers: ["Prefer: wait=20"])
        #expect(ended.at("/state") == "failed")
        #expect(ended.at("/error/code") == "approval.rejected")
        #expect(ended.at("/error/published_error/info/comment") == "not today")
        #expect(try third.get(path).at("/decided_by") == nil)
    }

    @Test func `goes page by page`() throws {
        let server = try LiveServer()
        for _ in 0..<3 { _ = try asked(server, try server.submit(payment(server))) }
        let first = try server.get("/v1/approvals?state=open&page_size=2")
        #expect(first.at("/items")?.array?.count == 2)
        let token = try #require(first.at("/next_page_token")?.string)
        let rest = try server.get("/v1/approvals?state=open&page_size=2&page_token=\(token)")
        #expect(rest.at("/items")?.array?.count == 1)
        #expect(rest.at("/next_page_token") == nil)
        #expect(try server.get("/v1/approvals?page_token=\(token)").status == 400)
    }
}
