import FaultyHTTP
import Foundation
import ScratchPostgres
import StrictJSON
import Testing

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `Servers that share work` {
    private let shared = SharedPlace()

    private func flags() throws -> [String] { try shared.flags() }

    @Test func `keep the limits of a queue together`() throws {
        let flags = try flags()
        let servers = [try LiveProgram(flags), try LiveProgram(flags)]
        #expect(try servers[0].send("PUT", "/v1/queues/mail", body: #"{"concurrency":2}"#).status == 201)
        let ids = try (0..<20).map { number in
            try servers[number % 2].submit(#"{"type":"delay","for":"100ms","queue":"mail"}"#)
        }
        let latest = Date(timeIntervalSinceNow: 30)
        var left = ids[...]
        while let id = left.first, Date() < latest {
            let queue = try servers[left.count % 2].get("/v1/queues/mail")
            #expect((queue.at("/running")?.number?.int ?? 9) <= 2)
            if try servers[1].get("/v1/jobs/\(id)").at("/state") == "succeeded" { left.removeFirst() }
        }
        #expect(left.isEmpty)
        #expect(try servers[1].post("/v1/queues/mail:pause").status == 200)
        let held = try servers[0].submit(#"{"type":"value","value":1,"queue":"mail"}"#)
        #expect(
            try servers[1].get("/v1/jobs/\(held)/explain").at("/summary")?.string?.contains("paused") == true)
        #expect(try servers[1].post("/v1/queues/mail:resume").status == 200)
        #expect(servers[0].stop() == 0)
        let done = try servers[1].get("/v1/jobs/\(held)", headers: ["Prefer: wait=20"])
        #expect(done.at("/state") == "succeeded")
    }

    @Test func `show how far a job is that another one runs`() throws {
        let flags = try flags()
        let content = [UInt8](repeating: 0x61, count: 600_000)
        let origin = Origin(content, [.hang(after: 400_000)])
        let servers = [try LiveServer(flags), try LiveServer(flags)]
        let id = try servers[0].submit(
            #"""
            {"type":"group","operations":[
              {"type":"value","value":1}, {"type":"download","request":"\#(origin.url)"}]}
            """#)
        let latest = Date(timeIntervalSinceNow: 20)
        var shown = try servers[1].get("/v1/jobs/\(id)")
        while shown.at("/progress/done") != 400_000 || shown.at("/operations/done") != 1, Date() < latest {
            usleep(50_000)
            shown = try servers[1].get("/v1/jobs/\(id)")
        }
        #expect(shown.at("/state") == "running")
        #expect(shown.at("/progress/done") == 400_000, "\(shown.json)")
        #expect(shown.at("/progress/total") == 600_000)
        #expect(shown.at("/operations/done") == 1 && shown.at("/operations/total") == 2, "\(shown.json)")
        origin.goOn()
        let done = try servers[1].get("/v1/jobs/\(id)", headers: ["Prefer: wait=20"])
        #expect(done.at("/state") == "succeeded")
        #expect(done.at("/progress") == nil)
    }

    @Test func `settle and record each other's bulk actions, also when one is killed`() throws {
        let flags = try flags()
        let servers = [try LiveProgram(flags), try LiveProgram(flags)]
        #expect(try servers[0].post("/v1/queues/mail:pause").status == 200)
        let spec = #"{"type":"value","value":1,"queue":"mail"}"#
        let lines = Array(repeating: spec, count: 300).joined(separator: "\n")
        let batch = try servers[0].post(
            "/v1/jobs:batch", lines, headers: ["Content-Type: application/x-ndjson"])
        #expect(batch.status < 300)
        let made = try servers[0].post(
            "/v1/bulk-actions", #"{"action":"cancel","filter":{"queue":"mail"},"per_second":100}"#)
        #expect(made.status == 202, "\(made.json)")
        let id = try #require(made.at("/id")?.string)
        _ = servers[0].stop(SIGKILL)
        let latest = Date(timeIntervalSinceNow: 60)
        while try servers[1].get("/v1/bulk-actions/\(id)").at("/state") == "running", Date() < latest {
            usleep(100_000)
        }
        let over = try servers[1].get("/v1/bulk-actions/\(id)")
        #expect(over.at("/state") == "completed")
        #expect(over.at("/by_state/succeeded") == 300)
        // A busy database may be asked again.
        var counts = try servers[1].get("/v1/jobs:count?queue=mail&by=state")
        for _ in 0..<20 where counts.status == 503 {
            sleep(1)
            counts = try servers[1].get("/v1/jobs:count?queue=mail&by=state")
        }
        #expect(counts.at("/count") == 300, "\(counts.status): \(counts.json)")
        #expect(counts.at("/groups/0/state") == "cancelled")
        let kinds = try servers[1].get("/v1/audit").at("/items")?.array?.compactMap {
            $0.object?["kind"]?.string
        }
        #expect(kinds?.contains("bulk-actions") == true, "\(kinds ?? [])")
        #expect(kinds?.contains("queues") == true, "\(kinds ?? [])")
    }

    @Test func `count each end once, also of jobs that were never started`() throws {
        let flags = try flags()
        let servers = [try LiveServer(flags), try LiveServer(flags)]
        #expect(try servers[0].post("/v1/queues/mail:pause").status == 200)
        let expired = try servers[0].submit(
            #"{"type":"value","value":1,"queue":"mail","start_by":"1s"}"#)
        let cancelled = try servers[0].submit(#"{"type":"value","value":1,"queue":"mail"}"#)
        #expect(try servers[1].post("/v1/jobs/\(cancelled):cancel").status < 300)
        for id in [expired, cancelled] {
            let over = try servers[1].get("/v1/jobs/\(id)", headers: ["Prefer: wait=20"])
            #expect(over.at("/finished_at") != nil, "\(over.json)")
        }
        #expect(try servers[1].post("/v1/queues/mail:resume").status == 200)
        let done = try servers[0].submit(#"{"type":"value","value":1,"queue":"mail"}"#)
        _ = try servers[1].get("/v1/jobs/\(done)", headers: ["Prefer: wait=20"])
        func count(_ outcome: String) throws -> Int {
            let name = #"jobserver_jobs_ended_total{queue="mail",state="\#(outcome)"} "#
            return try servers.reduce(0) { sum, server in
                let page = String(decoding: try server.get("/metrics").body, as: UTF8.self)
                let line = page.split(separator: "\n").first { $0.hasPrefix(name) }
                return sum + (line.flatMap { Int($0.dropFirst(name.count)) } ?? 0)
            }
        }
        let latest = Date(timeIntervalSinceNow: 20)
        while try count("succeeded") == 0, Date() < latest { usleep(50_000) }
        for outcome in ["expired", "cancelled", "succeeded"] {
            #expect(try count(outcome) == 1, "\(outcome)")
        }
    }

    @Test func `read large results that another one fetched`() throws {
        let flags = try flags()
        let servers = [try LiveServer(flags), try LiveServer(flags)]
        let content = String(repeating: "0123456789abcdef", count: 50_000)
        let upstream = Origin(Array(content.utf8))
        let id = try servers[0].submit(
            #"{"type":"download","request":"\#(upstream.url)","save":{"artifact":"data"}}"#)
        #expect(
            try servers[1].get("/v1/jobs/\(id)", headers: ["Prefer: wait=20"]).at("/state") == "succeeded")
        for server in servers {
            let whole = try server.get("/v1/jobs/\(id)/result")
            #expect(whole.status == 200)
            #expect(String(decoding: whole.body, as: UTF8.self) == content)
            let head = try server.send("HEAD", "/v1/jobs/\(id)/result")
            #expect(head.status == 200)
            #expect(head.field("content-length") == "800000")
            let part = try server.get("/v1/jobs/\(id)/artifacts/data", headers: ["Range: bytes=16-31"])
            #expect(part.status == 206)
            #expect(String(decoding: part.body, as: UTF8.self) == "0123456789abcdef")
        }
        // What is gone is said before anything is sent.
        shared.empty()
        let gone = try servers[1].get("/v1/jobs/\(id)/result")
        #expect(gone.status == 410)
        #expect(gone.at("/code") == "artifact.gone")
    }

    @Test(arguments: [1_000, 400_000])
    func `read results of earlier operations wherever the job goes on`(count: Int) throws {
        let flags = try flags()
        let content = #"{"key":"\#(String(repeating: "x", count: count))"}"#
        let upstream = Origin(Array(content.utf8), type: "application/json")
        let first = try LiveProgram(flags)
        let id = try first.submit(
            #"""
            {"type":"group","operations":[
              {"type":"download","name":"big","request":"\#(upstream.url)"},
              {"type":"await","name":"pause","signal":"go","after":["big"]},
              {"type":"value","name":"key","after":["pause"],"value":{"$get":"big","at":"/body/key"}},
              {"type":"network","name":"sent","after":["key"],
               "request":{"method":"PUT","url":"\#(upstream.url)","artifact":"big"}}]}
            """#)
        try first.rest(id)
        #expect(first.stop() == 0)
        let second = try LiveProgram(flags)
        #expect(try second.post("/v1/jobs/\(id)/signals/go", "1").status < 300)
        let ended = try second.get("/v1/jobs/\(id)", headers: ["Prefer: wait=20"])
        #expect(upstream.requests.last?.contains("\(count + 10)") == true)
        #expect(ended.at("/state") == "succeeded", "\(String(decoding: ended.body, as: UTF8.self))")
    }

    @Test func `start only with a place for large results that works`() throws {
        let none = try LiveServer.command(["serve"] + shared.storeFlags())
        #expect(none.code == 5)
        #expect(none.errors.contains("--artifacts s3://bucket/prefix"))
        let odd = try LiveServer.command(["serve", "--artifacts", "/proc/nothing"] + shared.storeFlags())
        #expect(odd.code == 5)
        #expect(odd.errors.contains("/proc/nothing"))
        let alone = try LiveServer.command(["serve", "--artifacts", shared.artifacts])
        #expect(alone.code == 2)
        #expect(alone.errors.contains("--store"))
        for place in ["ftp://bucket/x", "s3://B/x", "s3:///x", "s3:/bucket"] {
            let wrong = try LiveServer.command(["serve", "--artifacts", place] + shared.storeFlags())
            #expect(wrong.code == 2)
            #expect(wrong.errors.contains(place))
        }
        let bare = try LiveServer.command(["serve", "--artifacts", "s3://bucket/x"] + shared.storeFlags())
        #expect(bare.code == 3)
        #expect(bare.errors.contains("AWS_ACCESS_KEY_ID"))
    }
}
