import Foundation
import StrictJSON
import Testing

@Suite(.serialized) struct `Bulk actions over HTTP` {
    /// Submits jobs of the queue `mail`, which is paused, and returns the ids of the first 200.
    @discardableResult
    private func submit(_ count: Int, to server: LiveServer, _ members: String = "") throws -> [String] {
        #expect(try server.post("/v1/queues/mail:pause").status == 200)
        let spec = #"{"type":"value","value":1,"queue":"mail"\#(members)}"#
        let lines = Array(repeating: spec, count: count).joined(separator: "\n")
        let answer = try server.post("/v1/jobs:batch", lines, headers: ["Content-Type: application/x-ndjson"])
        return answer.at("/items")?.array?.compactMap { $0.object?["job"]?.object?["id"]?.string } ?? []
    }

    private func begin(_ body: String, _ server: LiveServer) throws -> String {
        let answer = try server.post("/v1/bulk-actions", body)
        #expect(answer.status == 202, "\(answer.json)")
        let id = try #require(answer.at("/id")?.string)
        #expect(answer.field("Location") == "/v1/bulk-actions/\(id)")
        return id
    }

    /// The bulk action when it is over.
    private func end(_ id: String, _ server: LiveServer) throws -> LiveServer.Answer {
        let latest = Date(timeIntervalSinceNow: 60)
        var answer = try server.get("/v1/bulk-actions/\(id)")
        while answer.at("/state") == "running", Date() < latest {
            usleep(50_000)
            answer = try server.get("/v1/bulk-actions/\(id)")
        }
        return answer
    }

    /// The items of all pages of a list.
    private func all(_ list: String, _ server: LiveServer) throws -> [JSONObject] {
        let first = list + (list.contains("?") ? "&" : "?") + "page_size=500"
        var found: [JSONObject] = []
        var path: String? = first
        while let next = path {
            let page = try server.get(next)
            #expect(page.status == 200)
            found += page.at("/items")?.array?.compactMap(\.object) ?? []
            path = page.at("/next_page_token")?.string.map { "\(first)&page_token=\($0)" }
        }
        return found
    }

    private func results(_ id: String, _ server: LiveServer) throws -> [JSONObject] {
        try all("/v1/bulk-actions/\(id)/results", server)
    }

    @Test func `do to each job what the single action does`() throws {
        let server = try LiveServer()
        let ids = try submit(3, to: server, #","labels":{"team":"a"}"#)
        let others = try submit(2, to: server, #","labels":{"team":"b"}"#)
        let filter = #""filter":{"state":["queued"],"labels":{"team":"a"}}"#
        let preview = try server.post("/v1/bulk-actions?validate_only=true", #"{"action":"hold",\#(filter)}"#)
        #expect(preview.status == 200)
        #expect(preview.at("/count") == 3)
        #expect(preview.at("/samples/0/state") == "queued")
        #expect(try server.get("/v1/bulk-actions").at("/items")?.array?.isEmpty == true)
        let held = try end(
            begin(#"{"action":"hold",\#(filter),"expected_count":3,"reason":"Wait."}"#, server), server)
        #expect(held.at("/state") == "completed")
        #expect(held.at("/outcomes/done") == 3)
        #expect(held.at("/created_by") == "anybody")
        #expect(held.at("/request/reason") == "Wait.")
        #expect(try ids.allSatisfy { try server.get("/v1/jobs/\($0)").at("/state") == "paused" })
        #expect(try others.allSatisfy { try server.get("/v1/jobs/\($0)").at("/state") == "queued" })
        let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
        let gone = "job_01k9f3m8q4fj8s8e4rd0n3v2xy"
        for (action, state) in [("release", "queued"), ("cancel", "cancelled"), ("retry", "queued")] {
            let id = try begin(#"{"action":"\#(action)","ids":[\#(list),"\#(gone)"]}"#, server)
            let answer = try end(id, server)
            #expect(answer.at("/outcomes/done") == 3, "\(action)")
            let results = try results(id, server)
            #expect(results.map { $0["job_id"]?.string } == ids + [gone])
            #expect(results.last?["outcome"] == "skipped")
            #expect(results.last?["code"] == "job.not_found")
            #expect(try ids.allSatisfy { try server.get("/v1/jobs/\($0)").at("/state")?.string == state })
        }
        let early = try end(begin(#"{"action":"erase","ids":[\#(list)]}"#, server), server)
        #expect(early.at("/outcomes/skipped") == 3)
        _ = try end(begin(#"{"action":"cancel","ids":[\#(list)],"reason":"Done."}"#, server), server)
        #expect(
            try server.get("/v1/jobs/\(ids[0])").at("/error/detail")?.string
                == "Cancelled by anybody before it ran. Reason: Done.")
        _ = try end(begin(#"{"action":"erase","ids":[\#(list)]}"#, server), server)
        #expect(try ids.allSatisfy { try server.get("/v1/jobs/\($0)").status == 404 })
        #expect(try server.get("/v1/bulk-actions?page_size=2").at("/items")?.array?.count == 2)
    }

    @Test func `submit the specs of ended jobs again`() throws {
        let server = try LiveServer()
        let spec = #"{"type":"value","name":"once","value":7,"labels":{"team":"red"},"metadata":{"n":1}}"#
        let first = try server.post("/v1/jobs", spec, headers: ["Prefer: wait=10"])
        let waiting = try server.post("/v1/jobs", #"{"type":"await","signal":"go"}"#)
        let ids = try [first, waiting].map { try #require($0.at("/id")?.string) }
        let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
        let bulk = try begin(#"{"action":"requeue","ids":[\#(list)]}"#, server)
        #expect(try end(bulk, server).at("/outcomes/done") == 1)
        let results = try results(bulk, server)
        #expect(results.map { $0["outcome"] } == ["done", "skipped"])
        #expect(results.last?["code"] == "job.not_finished")
        let made = try #require(results.first?["new_job_id"]?.string)
        #expect(made != ids[0])
        let again = try server.get("/v1/jobs/\(made)", headers: ["Prefer: wait=10"])
        for member in ["/state", "/name", "/result/inline", "/labels", "/metadata"] {
            #expect(again.at(member) == first.at(member), "\(member) of \(again.json)")
        }
        let twice = try begin(#"{"action":"requeue","filter":{"name":"once"}}"#, server)
        #expect(try end(twice, server).at("/outcomes/done") == 2)
        #expect(try server.get("/v1/jobs:count?name=once").at("/count") == 4)
    }

    @Test func `go on after a crash, do nothing twice, and leave new jobs alone`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        var server = try LiveProgram(directory: home)
        for _ in 0..<3 { try submit(1_000, to: server) }
        let ids = Set(try all("/v1/jobs?queue=mail", server).compactMap { $0["id"]?.string })
        #expect(ids.count == 3_000)
        let id = try begin(
            #"{"action":"cancel","filter":{"queue":"mail"},"expected_count":3000,"per_second":1000}"#, server)
        let new = try submit(5, to: server)
        for _ in 0..<3 {
            usleep(500_000)
            #expect(server.stop(SIGKILL) == -9)
            server = try LiveProgram(directory: home)
        }
        #expect(try server.get("/v1/bulk-actions/\(id)").at("/state") == "running")
        let answer = try end(id, server)
        #expect(answer.at("/state") == "completed")
        #expect(answer.at("/outcomes/done") == 3_000)
        let results = try results(id, server)
        #expect(results.count == 3_000)
        #expect(Set(results.compactMap { $0["job_id"]?.string }) == ids)
        #expect(results.allSatisfy { $0["outcome"] == "done" })
        let metrics = String(decoding: try server.get("/metrics").body, as: UTF8.self)
        #expect(metrics.contains("\njobserver_bulk_running 0\n"), "\(metrics)")
        #expect(metrics.contains("\njobserver_bulk_waiting 0\n"))
        #expect(metrics.contains("\njobserver_bulk_settled_total{outcome=\"failed\"} 0\n"))
        for job in ids.shuffled().prefix(20) {
            #expect(try server.get("/v1/jobs/\(job)").at("/state") == "cancelled")
            let events = try server.get("/v1/jobs/\(job)/events").at("/items")?.array ?? []
            #expect(events.count { $0.object?["type"] == "cancel_requested" } == 1, "\(events)")
        }
        #expect(try new.allSatisfy { try server.get("/v1/jobs/\($0)").at("/state") == "queued" })
    }

    @Test func `are prepared by counts and filters`() throws {
        let server = try LiveServer()
        let ids = try submit(3, to: server, #","name":"import_a","key":"c-1""#)
        try submit(2, to: server, #","name":"import_b""#)
        _ = try server.post("/v1/jobs/\(ids[0]):cancel")
        let count = try server.get("/v1/jobs:count?by=state,queue&name_prefix=import")
        #expect(count.status == 200)
        #expect(count.at("/count") == 5)
        #expect(count.at("/lower_bound") == false)
        #expect(count.at("/groups/0") == ["state": "queued", "queue": "mail", "count": 4])
        #expect(try server.get("/v1/jobs:count").at("/count") == 5)
        #expect(try server.get("/v1/jobs:count?by=state").at("/groups/1/state") == "cancelled")
        #expect(try server.get("/v1/jobs:count?key=c-1").at("/count") == 3)
        #expect(try server.get("/v1/jobs?error.code=cancelled.user").at("/items/0/id")?.string == ids[0])
        #expect(try server.get("/v1/jobs?id_prefix=\(ids[1])").at("/items")?.array?.count == 1)
        let wrong = try server.get("/v1/jobs:count?by=stat")
        #expect(wrong.status == 400)
        #expect(wrong.at("/errors/0/suggestion") == "state")
        let id = try begin(#"{"action":"retry","filter":{"error.code":"cancelled.user"}}"#, server)
        #expect(try end(id, server).at("/outcomes/done") == 1)
    }

    @Test func `reach jobs in flight`() async throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/send", .held(.status(200)))
        let server = try LiveServer()
        let job = try server.submit(#"{"type":"network","request":{"url":"\#(url)"}}"#)
        await upstream.waitForCalls(of: "/send", 1)
        let id = try begin(#"{"action":"cancel","filter":{"state":"running"}}"#, server)
        #expect(try end(id, server).at("/outcomes/done") == 1)
        let answer = try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=10"])
        #expect(answer.at("/state") == "cancelled")
    }

    @Test func `can be stopped`() throws {
        let server = try LiveServer()
        try submit(20, to: server)
        let id = try begin(#"{"action":"cancel","filter":{"queue":"mail"},"per_second":1}"#, server)
        let stopped = try server.post("/v1/bulk-actions/\(id):cancel")
        #expect(stopped.status == 200)
        #expect(stopped.at("/state") == "cancelled")
        #expect(stopped.at("/cancelled_by") == "anybody")
        #expect(try server.post("/v1/bulk-actions/\(id):cancel").json == stopped.json)
        let settled = try #require(stopped.at("/settled")?.number?.int)
        #expect(settled < 20)
        #expect(try results(id, server).count == settled)
        #expect(
            try server.get("/v1/jobs?state=queued&page_size=500").at("/items")?.array?.count == 20 - settled)
    }

    @Test func `refuse what cannot be meant`() throws {
        let server = try LiveServer()
        try submit(2, to: server)
        let wrong = try server.post(
            "/v1/bulk-actions", #"{"action":"cancel","filter":{"queue":"mail"},"expected_count":3}"#)
        #expect(wrong.status == 412)
        #expect(wrong.at("/count") == 2)
        #expect(wrong.at("/detail") == "2 jobs match, and expected_count is 3. Nothing was changed.")
        let bad: [(body: String, pointer: String, detail: String)] = [
            ("{}", "/action", "action must be cancel, retry, requeue, hold, release, erase"),
            (#"{"action":"cancle","ids":[]}"#, "/action", "action must be"),
            (#"{"action":"cancel"}"#, "/filter", "filter or ids must say which jobs are meant"),
            (#"{"action":"cancel","filter":{}}"#, "/filter", "it would mean all jobs"),
            (#"{"action":"cancel","filter":{"state":"quued"}}"#, "/filter/state", "\"quued\" is no state"),
            (#"{"action":"cancel","filter":{"stat":"queued"}}"#, "/filter/stat", "\"stat\" is not known"),
            (#"{"action":"cancel","filter":{"queue":7}}"#, "/filter/queue", "a filter is a string"),
            (
                #"{"action":"cancel","filter":{"lables":{"a":"b"}}}"#, "/filter/lables",
                "only labels is an object"
            ),
            (#"{"action":"cancel","filter":{"queue":"a"},"ids":[]}"#, "/ids", "cannot be given together"),
            (#"{"action":"cancel","ids":["job_1"]}"#, "/ids/0", "it is no id of a job"),
            (#"{"action":"cancel","ids":[],"per_second":0}"#, "/per_second", "from 1 to 10000"),
            (#"{"action":"retry","ids":[],"reason":"x"}"#, "/reason", "cancel and hold do"),
            (#"{"action":"cancel","ids":[],"rate":1}"#, "/rate", "\"rate\" is not known here"),
        ]
        for (body, pointer, detail) in bad {
            let answer = try server.post("/v1/bulk-actions", body)
            #expect(answer.status == 400, "\(body)")
            #expect(answer.at("/errors/0/pointer")?.string == pointer, "\(answer.json)")
            #expect(answer.at("/errors/0/detail")?.string?.contains(detail) == true, "\(answer.json)")
        }
        #expect(try server.get("/v1/bulk-actions/blk_1").at("/code") == "bulk.not_found")
        #expect(try server.get("/v1/bulk-actions/blk_01k9f3m8q4fj8s8e4rd0n3v2xy").status == 404)
        #expect(try server.get("/v1/bulk-actions/blk_01k9f3m8q4fj8s8e4rd0n3v2xy/results").status == 404)
        #expect(try server.post("/v1/bulk-actions/blk_01k9f3m8q4fj8s8e4rd0n3v2xy:cancel").status == 404)
        #expect(try server.get("/v1/bulk-actions?page_token=x").status == 400)
        #expect(try server.get("/v1/jobs?state=queued").at("/items")?.array?.count == 2)
    }
}
