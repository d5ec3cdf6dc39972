import Foundation
import StrictJSON
import Testing

/// Queues with limits.
@Suite(.serialized) struct `A live server and queues` {
    /// A call in the queue `mail`.
    private func call(_ url: String, key: String? = nil) -> String {
        let key = key.map { #""queue_key":"\#($0)","# } ?? ""
        return #"{"type":"network","queue":"mail",\#(key)"request":{"url":"\#(url)"}}"#
    }

    /// Submits so many jobs at once and returns their ids.
    private func submit(_ count: Int, _ spec: String, to server: LiveServer) throws {
        let lines = Array(repeating: spec, count: count).joined(separator: "\n")
        let answer = try server.post("/v1/jobs:batch", lines, headers: ["Content-Type: application/x-ndjson"])
        #expect(
            answer.status == 202 || answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    /// The number of jobs of the queue in a state.
    private func count(_ state: String, _ server: LiveServer) throws -> Int {
        try server.get("/v1/jobs?queue=mail&state=\(state)&page_size=500").at("/items")?.array?.count ?? 0
    }

    private func waitUntilAllSucceed(_ count: Int, _ server: LiveServer) throws {
        let latest = Date(timeIntervalSinceNow: 30)
        while try self.count("succeeded", server) < count, Date() < latest { usleep(20_000) }
        #expect(try self.count("succeeded", server) == count)
    }

    @Test func `never have more calls at once than the limit, over a crash, and use all of it`() async throws
    {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/send", .slow(milliseconds: 30, .status(200)))
        let directory = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        var killed = ContinuousClock.now
        do {
            let server = try LiveProgram(directory: directory)
            #expect(try server.send("PUT", "/v1/queues/mail", body: #"{"concurrency":3}"#).status == 201)
            try submit(60, call(url), to: server)
            await upstream.waitForCalls(of: "/send", 15)
            #expect(try server.get("/v1/queues/mail").at("/running") == 3)
            #expect(server.stop(SIGKILL) == -9)
            killed = .now
        }
        let server = try LiveProgram(directory: directory)
        try waitUntilAllSucceed(60, server)
        // A call whose caller has died is over.
        let calls = upstream.calls(of: "/send")
        let spans = calls.map {
            ($0.began, $0.began < killed ? min($0.ended ?? killed, killed) : $0.ended ?? .now)
        }
        let most = spans.map { span in spans.count { $0.0 <= span.0 && span.0 < $0.1 } }
        #expect(most.max() == 3)
        let queue = try server.get("/v1/queues/mail")
        #expect(queue.at("/waiting") == 0)
        #expect(queue.at("/oldest_waiting_since") == nil)
    }

    @Test func `refuse jobs beyond max_waiting, or let the request wait for room`() async throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/send", .held(.status(200)))
        let server = try LiveServer()
        let limits = #""concurrency":1,"max_waiting":1"#
        #expect(try server.send("PUT", "/v1/queues/mail", body: "{\(limits)}").status == 201)
        for _ in 0..<2 { #expect(try server.post("/v1/jobs", call(url)).status == 202) }
        let refused = try server.post("/v1/jobs", call(url))
        #expect(refused.status == 429)
        #expect(refused.at("/code") == "queue.full")
        #expect(refused.field("retry-after") == "5")
        #expect(
            refused.at("/detail")
                == "1 jobs of queue mail wait, which is its max_waiting. Try again when some have begun.")
        #expect(try server.post("/v1/jobs", #"{"type":"value","value":1}"#).status == 202)
        let waits = #"{\#(limits),"when_full":"wait"}"#
        #expect(try server.send("PUT", "/v1/queues/mail", body: waits).status == 200)
        await upstream.waitForCalls(of: "/send", 1)
        upstream.release("/send")
        #expect(try server.post("/v1/jobs", call(url)).status == 202)
    }

    @Test func `are emptied by a bulk action on what waits in them`() throws {
        let server = try LiveServer()
        #expect(try server.post("/v1/queues/mail:pause").status == 200)
        try submit(3, #"{"type":"value","queue":"mail","value":1}"#, to: server)
        try submit(2, #"{"type":"value","queue":"mail","value":1,"run_at":"1h"}"#, to: server)
        let other = try server.submit(#"{"type":"value","value":1,"run_at":"1h"}"#)
        let filter = #"{"queue":"mail","state":"queued,scheduled,pending"}"#
        let begun = try server.post(
            "/v1/bulk-actions", #"{"action":"cancel","filter":\#(filter),"reason":"test"}"#)
        #expect(begun.status == 202 && begun.at("/count") == 5, "\(begun.json)")
        let latest = Date(timeIntervalSinceNow: 20)
        while try count("cancelled", server) < 5, Date() < latest { usleep(50_000) }
        #expect(try count("cancelled", server) == 5)
        #expect(try server.get("/v1/queues/mail").at("/waiting") == 0)
        #expect(try server.get("/v1/jobs/\(other)").at("/state") == "scheduled")
    }

    @Test func `refuse a spec that their defaults make too large`() throws {
        let server = try LiveServer()
        let body = #"{"defaults":{"retry":{"max_attempts":2}}}"#
        #expect(try server.send("PUT", "/v1/queues/mail", body: body).status == 201)
        let head = #"{"type":"value","queue":"mail","value":""#
        let spec = head + String(repeating: "x", count: (1 << 20) - head.utf8.count - 2) + "\"}"
        let refused = try server.post("/v1/jobs", spec)
        #expect(refused.status == 422)
        #expect(refused.at("/detail")?.string?.contains("With the defaults of its queue") == true)
        #expect(try server.post("/v1/jobs", spec.replacing(#""mail""#, with: #""post""#)).status == 202)
    }

    @Test func `give their jobs defaults, which a spec can override`() throws {
        let server = try LiveServer()
        let defaults =
            #"{"priority":8,"retention":{"failed":"1h"},"retry":{"max_attempts":7},"timeouts":{"attempt":"9s"}}"#
        #expect(try server.send("PUT", "/v1/queues/mail", body: #"{"defaults":\#(defaults)}"#).status == 201)
        #expect(try server.post("/v1/queues/mail:pause").at("/spec/defaults/priority") == 8)
        let plain = try server.post("/v1/jobs", call("http://127.0.0.1:9/"))
        #expect(plain.at("/priority") == 8)
        #expect(plain.at("/max_attempts") == 7)
        let id = plain.at("/id")?.string ?? ""
        #expect(try server.get("/v1/jobs/\(id)/spec").at("/defaults/timeouts/attempt") == "9s")
        let own =
            #"{"type":"network","queue":"mail","priority":2,"request":{"url":"http://127.0.0.1:9/"},"#
            + #""defaults":{"retry":{"max_attempts":3}},"retention":{"succeeded":"2h"}}"#
        let other = try server.post("/v1/jobs", own)
        #expect(other.at("/priority") == 2)
        #expect(other.at("/max_attempts") == 3)
        let spec = try server.get("/v1/jobs/\(other.at("/id")?.string ?? "")/spec")
        #expect(spec.at("/retention") == ["succeeded": "2h", "failed": "1h"])
        #expect(try server.post("/v1/jobs", #"{"type":"value","value":1}"#).at("/priority") == 5)
    }

    @Test func `explain what holds a job back, and list who waits`() throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/send", .held(.status(200)))
        let server = try LiveServer()
        let body = #"{"concurrency":2,"per_key":{"concurrency":1}}"#
        #expect(try server.send("PUT", "/v1/queues/mail", body: body).status == 201)
        let first = try server.submit(call(url, key: "acme"))
        let second = try server.submit(call(url, key: "acme"))
        let held = try server.get("/v1/jobs/\(second)")
        #expect(held.at("/state") == "queued")
        #expect(held.at("/queue_key") == "acme")
        #expect(
            held.at("/waiting_on/0/detail")
                == "It is runnable and waits for its turn in queue mail, key acme.")
        let explained = try server.get("/v1/jobs/\(second)/explain")
        #expect(explained.at("/waiting_on/0/kind") == "queue")
        #expect(explained.at("/waiting_on/0/detail") == "Queue mail, key acme, has 1 of 1 running.")
        #expect(explained.at("/waiting_on/0/ahead") == 0)
        let other = try server.submit(call(url, key: "other"))
        let third = try server.submit(call(url, key: "third"))
        let full = try server.get("/v1/jobs/\(third)/explain")
        #expect(full.at("/waiting_on/0/detail") == "Queue mail has 2 of 2 running.")
        #expect(full.at("/summary") == "The job is queued. Queue mail has 2 of 2 running. 1 before it.")
        let queue = try server.get("/v1/queues/mail")
        #expect(queue.at("/state") == "full")
        #expect(queue.at("/running") == 2)
        #expect(queue.at("/waiting") == 2)
        #expect(queue.at("/spec/per_key/concurrency") == 1)
        let keys = try server.get("/v1/queues/mail/keys")
        #expect(keys.at("/items/0/key") == "acme")
        #expect(keys.at("/items/0/state") == "full")
        #expect(keys.at("/items/0/waiting") == 1)
        upstream.release("/send")
        for job in [first, second, other, third] { #expect(try server.rest(job).at("/state") == "succeeded") }
    }

    @Test func `let no job begin while paused, and go on after resume and a restart`() throws {
        let directory = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        var job = ""
        do {
            let server = try LiveProgram(directory: directory)
            #expect(try server.post("/v1/queues/mail:resume").status == 404)
            #expect(try server.post("/v1/queues/mail:pause").at("/state") == "paused")
            // A change of its limits leaves it paused.
            let limited = try server.send("PUT", "/v1/queues/mail", body: #"{"concurrency":3}"#)
            #expect(limited.at("/state") == "paused" && limited.at("/spec") == ["concurrency": 3])
            #expect(try server.send("PUT", "/v1/queues/mail", body: "{}").at("/spec") == [:])
            job = try server.submit(#"{"type":"value","queue":"mail","value":1}"#)
            #expect(try server.get("/v1/jobs/\(job)").at("/state") == "queued")
            #expect(server.stop() == 0)
        }
        let server = try LiveProgram(directory: directory)
        let explained = try server.get("/v1/jobs/\(job)/explain")
        #expect(explained.at("/waiting_on/0/detail") == "Queue mail is paused.")
        #expect(explained.at("/next") == "It goes on when the queue is resumed: POST /v1/queues/mail:resume.")
        let resumed = try server.post("/v1/queues/mail:resume")
        #expect(resumed.at("/state") == "open")
        #expect(resumed.at("/spec") == [:])
        #expect(try server.rest(job).at("/state") == "succeeded")
    }

    @Test func `begin no more jobs than a rate lets, also after a restart`() throws {
        let directory = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let body = #"{"rate":{"count":2,"per":"1h","burst":2}}"#
        do {
            let server = try LiveProgram(directory: directory)
            #expect(try server.send("PUT", "/v1/queues/mail", body: body).status == 201)
            try submit(4, #"{"type":"value","queue":"mail","value":1}"#, to: server)
            try waitUntilAllSucceed(2, server)
            #expect(server.stop() == 0)
        }
        let server = try LiveProgram(directory: directory)
        #expect(try count("succeeded", server) == 2)
        let queue = try server.get("/v1/queues/mail")
        #expect(queue.at("/state") == "throttled")
        #expect(queue.at("/rate_available") == 0)
        #expect(queue.at("/opens_at") != nil)
        #expect(queue.at("/waiting") == 2)
    }

    @Test func `wake when the rate lets the next job begin`() throws {
        let server = try LiveServer()
        let body = #"{"rate":{"count":20,"per":"1s","burst":1}}"#
        #expect(try server.send("PUT", "/v1/queues/mail", body: body).status == 201)
        try submit(12, #"{"type":"value","queue":"mail","value":1}"#, to: server)
        try waitUntilAllSucceed(12, server)
    }

    @Test func `are listed with and without a configuration`() throws {
        let server = try LiveServer()
        func names() throws -> [String] {
            try server.get("/v1/queues").at("/items")?.array?.compactMap { $0.object?["name"]?.string } ?? []
        }
        #expect(try names() == ["default"])
        #expect(try server.get("/v1/queues/default").at("/waiting") == 0)
        #expect(try server.get("/v1/queues/mail").status == 404)
        let job = try server.submit(#"{"type":"value","queue":"mail","value":1}"#)
        #expect(try server.rest(job).at("/state") == "succeeded")
        #expect(try server.send("PUT", "/v1/queues/sms", body: "{}").status == 201)
        let queues = try server.get("/v1/queues")
        #expect(try names() == ["default", "mail", "sms"])
        #expect(queues.at("/items/1/spec") == nil)
        #expect(queues.at("/items/2/version") == 1)
        #expect(try server.send("DELETE", "/v1/queues/sms").status == 204)
        #expect(try server.send("DELETE", "/v1/queues/sms").status == 404)
        #expect(try names() == ["default", "mail"])
    }

    @Test func `are changed only as If-Match permits`() throws {
        let server = try LiveServer()
        func put(_ header: String, validates: Bool = false) throws -> LiveServer.Answer {
            let path = "/v1/queues/mail" + (validates ? "?validate_only=true" : "")
            return try server.send("PUT", path, headers: [header], body: #"{"concurrency":1}"#)
        }
        #expect(try put("If-Match: *").status == 412)
        #expect(try put("If-None-Match: *", validates: true).at("/valid") == true)
        let new = try put("If-None-Match: *")
        #expect(new.status == 201)
        #expect(new.field("etag") == "\"1\"")
        #expect(try put("If-None-Match: *").at("/code") == "request.precondition")
        #expect(try put("If-Match: \"1\"").field("etag") == "\"1\"")
        let other = try server.send("PUT", "/v1/queues/mail", body: #"{"concurrency":2}"#)
        #expect(other.field("etag") == "\"2\"")
        let late = try put("If-Match: \"1\"")
        #expect(late.status == 412)
        #expect(
            late.at("/detail")
                == "mail has the ETag \"2\", which is not what the request expects. Nothing was changed.")
    }

    @Test(arguments: [
        (#"{"concurrency":0}"#, "/concurrency", "The number is 0; allowed are whole numbers, 1 to 1000000."),
        (#"{"concurency":5}"#, "/concurency", "concurrency"),
        (#"{"rate":"10/s"}"#, "/rate", #"{"count": 10, "per": "1s"}"#),
        (#"{"rate":{"count":5}}"#, "/rate", "\"per\" is missing. Say in what time."),
        (#"{"rate":{"count":5,"per":"0s"}}"#, "/rate/per", "Allowed is more than zero and at most 31d."),
        (#"{"rate":{"count":5,"per":"1s","burst":0}}"#, "/rate/burst", "1 to 1000000"),
        (#"{"rate":{"count":1000000,"per":"1ms"}}"#, "/rate", "as good as no limit"),
        (
            #"{"per_key":{"concurrency":"1"}}"#, "/per_key/concurrency",
            "Expected a whole number, not a string."
        ),
        (#"{"per_key":{"order":"fair"}}"#, "/per_key/order", "There are: concurrency, rate."),
        (#"{"order":"random"}"#, "/order", #"is not one of "fair", "fifo""#),
        (#"{"paused":true}"#, "/paused", "paused with :pause"),
        (#"{"max_waiting":-1}"#, "/max_waiting", "1 to 100000000"),
        (#"{"max_waiting":5,"when_full":"drop"}"#, "/when_full", #"is not one of "reject", "wait""#),
        (#"{"when_full":"wait"}"#, "", "Without it the queue is never full."),
        (#"{"defaults":{"priority":10}}"#, "/defaults/priority", "0 to 9"),
        (#"{"defaults":{"retry":{"max_attempts":0}}}"#, "/defaults/retry/max_attempts", "1 to"),
        (
            #"{"defaults":{"queue":"x"}}"#, "/defaults/queue",
            "There are: priority, retention, retry, timeouts."
        ),
        ("[]", "", "Expected an object, not an array."),
    ])
    func `say what is wrong with a configuration`(_ body: String, _ pointer: String, _ words: String) throws {
        let server = try LiveServer()
        let answer = try server.send("PUT", "/v1/queues/mail", body: body)
        #expect(answer.status == 422)
        #expect(answer.at("/errors/0/pointer")?.string == pointer)
        let said = [answer.at("/errors/0/detail"), answer.at("/errors/0/suggestion")].compactMap {
            $0?.string
        }
        #expect(said.contains { $0.contains(words) }, "\(said)")
        #expect(try server.get("/v1/queues/mail").status == 404)
    }

    @Test(arguments: [
        (#""queue_key":"""#, "The text has 0 bytes; allowed are 1 to 255."),
        (#""queue_key":5"#, "Expected a text or a label of the job, not a number."),
        (#""queue_key":{"$job":"labels","at":"/customer"}"#, "The job has no label \"customer\"."),
        (
            #""queue_key":{"$job":"labels","at":"customer"},"labels":{"customer":"a"}"#,
            "is no pointer to a label"
        ),
        (#""queue_key":{"$job":"name","at":"/customer"}"#, #"is not one of "labels""#),
        (#""queue_key":{"at":"/customer"},"labels":{"customer":"a"}"#, "\"$job\" is missing."),
        (#""queue_key":{"$job":"labels"}"#, "\"at\" is missing."),
    ])
    func `say what is wrong with a key`(_ member: String, _ words: String) throws {
        let server = try LiveServer()
        let answer = try server.post("/v1/jobs", #"{"type":"value","value":1,\#(member)}"#)
        #expect(answer.status == 422)
        let said = answer.at("/errors/0/detail")?.string ?? ""
        #expect(said.contains(words), "\(said)")
    }

    @Test func `take the key from a label`() throws {
        let server = try LiveServer()
        let key = #""queue_key":{"$job":"labels","at":"/customer","default":"none"}"#
        let with = try server.post(
            "/v1/jobs", #"{"type":"value","value":1,\#(key),"labels":{"customer":"acme"}}"#)
        #expect(with.at("/queue_key") == "acme")
        #expect(
            try server.post("/v1/jobs", #"{"type":"value","value":1,\#(key)}"#).at("/queue_key") == "none")
    }

    @Test func `names the first hundred unknown members of a command`() throws {
        let server = try LiveServer()
        let members = (0..<500).map { "\"m\($0)\":1" }.joined(separator: ",")
        let answer = try server.post("/v1/queues/mail:pause", "{\(members)}")
        #expect(answer.status == 400)
        #expect(answer.at("/errors")?.array?.count == 100)
    }
}
