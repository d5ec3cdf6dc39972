import FaultyHTTP
import Foundation
import ScratchPostgres
import StrictJSON
import Synchronization
import Testing

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `Servers on one PostgreSQL` {
    private let shared = SharedPlace()

    private func flags() throws -> [String] { try shared.flags() }

    @Test func `show, wait for and cancel each other's jobs`() throws {
        let flags = try flags()
        let servers = [try LiveProgram(flags), try LiveProgram(flags)]
        let quick = try servers[0].submit(#"{"type":"delay","for":"300ms"}"#, headers: ["Idempotency-Key: k"])
        let again = try servers[1].submit(#"{"type":"delay","for":"300ms"}"#, headers: ["Idempotency-Key: k"])
        #expect(quick == again)
        let shown = try servers[1].get("/v1/jobs/\(quick)", headers: ["Prefer: wait=20"])
        #expect(shown.at("/state")?.string == "succeeded")
        // Both servers stop calls that the other one was asked to cancel.
        let silent = SilentListener()
        for place in 0...1 {
            let slow = try servers[place].submit(
                #"{"type":"network","request":"http://127.0.0.1:\#(silent.port)/"}"#)
            #expect(try servers[place].get("/v1/jobs/\(slow)").at("/state")?.string == "running")
            #expect(try servers[1 - place].post("/v1/jobs/\(slow):cancel").status == 202)
            let ended = try servers[place].get("/v1/jobs/\(slow)", headers: ["Prefer: wait=20"])
            #expect(ended.at("/state")?.string == "cancelled")
        }
        #expect(servers[0].stop() == 0)
        let late = try servers[1].get("/v1/jobs/\(quick)")
        #expect(late.at("/state")?.string == "succeeded")
        #expect(!servers[1].log.contains("\"level\":\"error\""))
    }

    @Test func `run a job that was running when two of them died`() throws {
        let flags = try flags() + ["--lease", "3s"]
        let silent = SilentListener()
        var server = try LiveProgram(flags)
        let id = try server.submit(#"{"type":"network","request":"http://127.0.0.1:\#(silent.port)/"}"#)
        func isRun(by server: LiveServer) throws -> Bool {
            for _ in 0..<200 {
                if try server.get("/v1/jobs/\(id)").at("/state") == "running" { return true }
                usleep(50_000)
            }
            return false
        }
        #expect(try isRun(by: server))
        #expect(server.stop(SIGKILL) != 0)
        server = try LiveProgram(flags)
        #expect(try isRun(by: server))
        let last = try LiveProgram(flags)
        // It has looked after its start for jobs that may have ended their servers, and found none.
        sleep(6)
        #expect(server.stop(SIGKILL) != 0)
        #expect(try isRun(by: last))
    }

    @Test func `stream each other's changes`() throws {
        let flags = try flags()
        let servers = [try LiveServer(flags), try LiveServer(flags)]
        let spec = #"{"type":"value","value":1,"queue":"mail","labels":{"team":"red"}}"#
        let stream = try LiveStream(servers[1], "/v1/events?queue=mail&label.team=red&state=succeeded")
        #expect(stream.next()?.name == "bookmark")
        _ = try servers[0].submit(#"{"type":"value","value":1}"#)
        let id = try servers[0].submit(spec)
        #expect(stream.next()?.at("/id")?.string == id)
        let waiting = try servers[0].submit(#"{"type":"await","signal":"go"}"#)
        let job = try LiveStream(servers[1], "/v1/jobs/\(waiting)/events")
        #expect(job.events { $0.at("/type") == "waiting" }.last?.at("/type") == "waiting")
        #expect(try servers[1].post("/v1/jobs/\(waiting)/signals/go", "1").status < 300)
        #expect(job.events { $0.name == "end" }.last?.at("/state") == "succeeded")
    }

    @Test func `know each other`() throws {
        let flags = try flags()
        let first = try LiveProgram(flags + ["--advertise", "http://jobs-1.example:8080"])
        let second = try LiveProgram(flags)
        let silent = SilentListener()
        let spec = #"{"type":"network","request":"http://127.0.0.1:\#(silent.port)/"}"#
        #expect(try first.get("/v1/jobs/\(try first.submit(spec))").at("/state")?.string == "running")
        let servers = try second.get("/v1/servers")
        #expect(servers.at("/items")?.array?.count == 2)
        #expect(servers.at("/items/0/address")?.string == "http://jobs-1.example:8080")
        #expect(servers.at("/items/0/running_jobs") == 1)
        #expect(servers.at("/items/0/answers")?.bool == false)
        #expect(servers.at("/items/1/answers")?.bool == true)
        #expect(servers.at("/items/1/lease_until") != nil)
        #expect(first.stop() == 0)
        #expect(try soon { try second.get("/v1/servers").at("/items")?.array?.count == 1 })
        #expect(try LiveServer.command(["serve", "--advertise", "jobs-1:8080"]).errors.contains("http://"))
    }

    @Test func `reach the jobs that others run`() throws {
        let flags = try flags()
        let servers = [try LiveServer(flags), try LiveServer(flags)]
        let target = FaultServer { connection, _ in while connection.readRequest() != nil {} }
        let call = #"{"type":"network","name":"slow","request":"\#(target.url())"}"#
        let group = """
            {"type":"group","name":"all","operations":[\(call),\
            {"type":"await","name":"go","signal":"go"},\
            {"type":"network","name":"next","after":["go"],"request":"\(target.url())"}]}
            """
        let id = try servers[0].submit(group)
        #expect(try servers[1].get("/v1/jobs/\(id)").at("/state")?.string == "running")
        // The tree of a run knows more than the stored journal of it.
        let explained = try [0, 1].map { try servers[$0].get("/v1/jobs/\(id)/explain") }
        #expect(explained[1].status == 200)
        #expect(explained[0].body == explained[1].body)
        let page = try [0, 1].map { try servers[$0].get("/v1/jobs/\(id)/explain?page_size=2") }
        #expect(page[0].body == page[1].body)
        #expect(page[0].field("link") == page[1].field("link"))
        let token = page[1].at("/next_page_token")?.string ?? ""
        let rest = try servers[1].get("/v1/jobs/\(id)/explain?page_size=2&page_token=\(token)")
        #expect(rest.at("/operations")?.array?.count == 2)
        // Members, a hold, a signal and a release.
        let added = try servers[1].post(
            "/v1/jobs/\(id)/operations", #"{"operation":{"type":"value","name":"more","value":7}}"#)
        #expect(added.status == 202)
        #expect(try servers[1].post("/v1/jobs/\(id):hold").status == 202)
        #expect(try servers[1].post("/v1/jobs/\(id)/signals/go").status == 202)
        let held = try servers[1].get("/v1/jobs/\(id)/explain")
        #expect(held.at("/waiting_on/0/kind") == "hold", "\(held)")
        let calls = target.requests.count
        #expect(try servers[1].post("/v1/jobs/\(id):release").status == 200)
        while target.requests.count == calls { usleep(5_000) }
        #expect(try soon { try servers[1].get("/v1/jobs/\(id)/operations/more").at("/state") == "succeeded" })
        let late = try servers[1].post(
            "/v1/jobs/\(id)/operations", #"{"group":"no","operation":{"type":"value","value":7}}"#)
        #expect(late.status == 422)
        #expect(try servers[1].post("/v1/jobs/\(id):cancel").status == 202)
        let ended = try servers[1].get("/v1/jobs/\(id)", headers: ["Prefer: wait=20"])
        #expect(ended.at("/state") == "cancelled")
        let closed = try servers[0].post(
            "/v1/jobs/\(id)/operations", #"{"operation":{"type":"value","value":7}}"#)
        #expect(closed.at("/code") == "group.closed")
    }

    @Test func `call nothing more after their lease`() throws {
        let flags = try flags()
        let origin = Origin(Array("ok".utf8))
        let servers = [try LiveProgram(flags), try LiveProgram(flags)]
        // A step that waits in memory, and then a call.
        let spec = """
            {"type":"group","operations":[{"type":"delay","name":"d","for":"200ms"},\
            {"type":"network","name":"n","after":["d"],"request":{"url":"\(origin.url)","method":"POST"}}]}
            """
        let id = try servers[0].submit(spec)
        kill(servers[0].pid, SIGSTOP)
        let ended = try servers[1].get("/v1/jobs/\(id)", headers: ["Prefer: wait=40"])
        #expect(ended.at("/state")?.string == "succeeded")
        kill(servers[0].pid, SIGCONT)
        var ready = try servers[0].get("/readyz")
        while ready.status != 200 { ready = try servers[0].get("/readyz") }
        // On a busy machine the other one's lease may lapse meanwhile, too.
        var known: Int?
        for _ in 0..<100 where known != 2 {
            known = try servers[0].get("/v1/servers").at("/items")?.array?.count
            if known != 2 { usleep(100_000) }
        }
        #expect(known == 2)
        #expect(origin.requests.count == 1)
        #expect(servers[0].log.contains("The lease of this server was lost"))
        let next = try servers[0].submit(#"{"type":"value","value":1}"#, headers: ["Prefer: wait=10"])
        #expect(try servers[0].get("/v1/jobs/\(next)").at("/state")?.string == "succeeded")
    }

    @Test func `hold an exclusive key once`() throws {
        let flags = try flags()
        let crowd = Crowd()
        let target = FaultServer { connection, _ in
            while connection.readRequest() != nil {
                crowd.enter()
                connection.pause(milliseconds: 20)
                crowd.leave()
                connection.answer("ok")
            }
        }
        let servers = [try LiveProgram(flags), try LiveProgram(flags), try LiveProgram(flags)]
        let key = #""conditions":[{"type":"lock","key":"k"}]"#
        let call = #"{"type":"network",\#(key),"request":"\#(target.url())"}"#
        // A person's signal ends the hold of the first one; the others wait in line.
        let first = try servers[2].submit(#"{"type":"await","signal":"go",\#(key)}"#)
        while try servers[2].get("/v1/jobs/\(first)").at("/state") != "waiting" { usleep(5_000) }
        let ids = try (0..<24).map { try servers[$0 % 3].submit(call) }
        let line = try servers[0].rest(ids[23])
        #expect(["pending", "waiting"].contains(line.at("/state")?.string), "\(line)")
        let explained = try servers[1].get("/v1/jobs/\(ids[23])/explain")
        #expect(explained.at("/waiting_on/0/holder_job_id")?.string == first)
        #expect(explained.at("/waiting_on/0/ahead") != nil, "\(explained)")
        #expect(target.requests.isEmpty)
        #expect(try servers[0].post("/v1/jobs/\(ids[5]):cancel").status < 300)
        #expect(try servers[1].post("/v1/jobs/\(first)/signals/go").status == 202)
        while target.requests.count < 8 { usleep(5_000) }
        #expect(servers[2].stop(SIGKILL) != 0)
        for (place, id) in ids.enumerated() where place != 5 {
            let ended = try servers[0].get("/v1/jobs/\(id)", headers: ["Prefer: wait=40"])
            #expect(ended.at("/state") == "succeeded", "\(ended)")
        }
        #expect(crowd.most == 1)
        #expect(!servers[0].log.contains("\"level\":\"error\""), "\(servers[0].log)")
    }

    @Test func `hold exclusive keys together with places of a group`() throws {
        let flags = try flags()
        let servers = [try LiveServer(flags), try LiveServer(flags)]
        let member = """
            {"type":"delay","for":"5ms","conditions":[{"type":"lock","key":"a"},\
            {"type":"lock","key":"b"}]}
            """
        let spec = #"{"type":"group","concurrency":2,"map":{"items":[1,2,3,4,5,6],"operation":\#(member)}}"#
        let ids = try (0..<4).map { try servers[$0 % 2].submit(spec) }
        for id in ids {
            let ended = try servers[0].get("/v1/jobs/\(id)", headers: ["Prefer: wait=40"])
            #expect(ended.at("/state") == "succeeded", "\(ended)")
        }
    }

    @Test func `heed the pauses and the limits that others know`() throws {
        let flags = try flags()
        let servers = [try LiveServer(flags), try LiveServer(flags)]
        // Later connections are answered well, or the origin would not stay open.
        let target = FaultServer { connection, number in
            while connection.readRequest() != nil {
                if number > 0 {
                    connection.answer("{}")
                } else {
                    connection.answer("{}", status: "429 Too Many Requests", fields: "Retry-After: 600\r\n")
                    return
                }
            }
        }
        let call = #"{"type":"network","request":"\#(target.url())","retry":{"max_attempts":1}}"#
        let failed = try servers[0].submit(call)
        _ = try servers[0].rest(failed)
        let host = "127.0.0.1:\(target.port)"
        func state(_ place: Int) throws -> String? {
            try servers[place].get("/v1/origins/http://\(host)").at("/state")?.string
        }
        while try state(1) != "cooling_down" { usleep(10_000) }
        let held = try servers[1].submit(call)
        #expect(try servers[1].rest(held).at("/waiting_on/0/kind") == "origin")
        #expect(target.requests.count == 1)
        let late = try LiveServer(flags)
        #expect(try late.get("/v1/origins/http://\(host)").at("/state") == "cooling_down")
        #expect(try servers[1].post("/v1/origins/http://\(host):reset").status == 200)
        while try state(0) != "open" { usleep(10_000) }
        while target.requests.count == 1 { usleep(10_000) }
        // Limits apply everywhere, in parts.
        let limited = try servers[0].send("PUT", "/v1/hosts/api.example/limits", body: #"{"concurrency":6}"#)
        #expect(limited.status == 201)
        #expect(try servers[1].send("DELETE", "/v1/hosts/api.example/limits").status == 204)
    }

    @Test func `use a secret that another one has just stored`() throws {
        let flags = try flags()
        let same = try flags + shared.keyFlags()
        let target = FaultServer { connection, _ in
            while connection.readRequest() != nil { connection.answer("{}") }
        }
        let servers = [try LiveServer(same), try LiveServer(same)]
        let call = """
            {"type":"network","request":{"url":"\(target.url())","headers":{"X-Key":{"$secret":"crm"}}}}
            """
        for round in 0..<6 {
            let text = "value-\(round)-\(round)"
            let put = try servers[round % 2].send("PUT", "/v1/secrets/crm", body: #"{"text":"\#(text)"}"#)
            #expect(put.status == (round == 0 ? 201 : 200))
            let id = try servers[1 - round % 2].submit(call)
            let ended = try servers[0].get("/v1/jobs/\(id)", headers: ["Prefer: wait=20"])
            #expect(ended.at("/state") == "succeeded", "\(ended)")
            #expect(target.requests.last?.contains(text) == true)
        }
        // One with another key does not start now.
        let refused = #expect(throws: LiveServer.Failure.self) { try LiveServer(flags) }
        guard case .didNotStart(let words)? = refused else { return }
        #expect(words.contains("--secret-key-file"))
    }

    @Test func `store no secret that another one could not open`() throws {
        let flags = try flags()
        let servers = [try LiveProgram(flags), try LiveProgram(flags)]
        let refused = try servers[0].send("PUT", "/v1/secrets/crm", body: #"{"text":"hush"}"#)
        #expect(refused.status == 409)
        #expect(refused.at("/code") == "secret.key_mismatch")
        #expect(try servers[0].get("/v1/secrets").at("/items")?.array?.isEmpty == true)
        #expect(servers[1].stop() == 0)
        #expect(try servers[0].send("PUT", "/v1/secrets/crm", body: #"{"text":"hush"}"#).status == 201)
    }

    @Test func `make the schema, unless they are told not to`() throws {
        let flags = try flags()
        let refused = #expect(throws: LiveServer.Failure.self) {
            try LiveServer(flags + ["--migrate", "off"])
        }
        guard case .didNotStart(let words)? = refused else { return }
        #expect(words.contains("jobserver migrate"))
        let made = try LiveServer.command(["migrate"] + flags.prefix(4))
        #expect(made.code == 0)
        #expect(made.output.contains("has version"))
        #expect(try LiveServer.command(["migrate"] + flags.prefix(4)).output == made.output)
        let server = try LiveServer(flags + ["--migrate", "off"])
        #expect(try server.get("/readyz").status == 200)
    }

    @Test func `take over the jobs of a directory, and hand them back`() throws {
        let flags = try flags()
        let (store, further) = (flags[1], flags.dropFirst(2))
        let single = try LiveProgram()
        let data = single.directory.appending(path: "data").path
        let id = try single.submit(#"{"type":"await","signal":"go"}"#, headers: ["Idempotency-Key: k"])
        let there = ["copy", "--from", data, "--to", store] + further
        let used = try LiveServer.command(there)
        #expect(used.code == 5 && used.errors.contains("Stop it first"), "\(used)")
        #expect(single.stop() == 0)
        let copied = try LiveServer.command(there)
        #expect(copied.code == 0 && copied.output.contains(": 1 job, "), "\(copied)")
        let server = try LiveProgram(flags)
        #expect(
            try server.submit(#"{"type":"await","signal":"go"}"#, headers: ["Idempotency-Key: k"]) == id)
        #expect(try server.post("/v1/jobs/\(id)/signals/go").status == 202)
        #expect(try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=20"]).at("/state") == "succeeded")
        #expect(server.stop() == 0)
        for (words, says) in [
            (["--from", data], "needs --from and --to"), (["--from", "a", "--to", "b"], "jobserver backup"),
            (["--from", store, "--to", store], "pg_dump"),
            (["--from", data, "--to", "postgres://me:hush@127.0.0.1:1/jobs"], "JOBSERVER_TO"),
        ] {
            let refused = try LiveServer.command(["copy"] + words)
            #expect(refused.code == 2 && refused.errors.contains(says), "\(refused)")
            #expect(!refused.errors.contains("hush"))
        }
    }

    @Test func `are checked by the doctor, with the database`() throws {
        let flags = try flags()
        let early = try LiveServer.command(["doctor"] + flags.prefix(4))
        #expect((early.output + early.errors).contains("there is no store in the schema"))
        let server = try LiveServer(flags)
        _ = try server.submit(#"{"type":"value","value":1}"#)
        let seen = try LiveServer.command(["doctor"] + flags.prefix(4))
        for words in [
            "PostgreSQL 1", "has version", "clock of the database", "1 server is alive", ".ticket has",
            "connections",
        ] { #expect((seen.output + seen.errors).contains(words), "\(seen)") }
        let away = try LiveServer.command(["doctor", "--store", "postgres://me@127.0.0.1:1/jobs"])
        #expect(away.code == 6)
        #expect(away.errors.contains("127.0.0.1"))
    }

    @Test func `refuse addresses that cannot work, and show no password`() throws {
        let shown = try LiveServer.command(["serve", "--store", "postgres://me:hush@127.0.0.1:1/jobs"])
        #expect(shown.code == 2)
        #expect(shown.errors.contains("JOBSERVER_STORE"))
        let away = try LiveServer.command(["migrate", "--store", "postgres://me@127.0.0.1:1/jobs"])
        #expect(away.code == 6)
        #expect(away.errors.contains("127.0.0.1"))
        for words in [shown, away] { #expect(!(words.output + words.errors).contains("hush")) }
        let alone = try LiveServer.command(["serve", "--schema", "jobs"])
        #expect(alone.code == 2)
        #expect(alone.errors.contains("--store"))
        let odd = try LiveServer.command(["migrate"] + shared.storeFlags().dropLast() + ["No-Name"])
        #expect(odd.code == 5)
        #expect(odd.errors.contains("No-Name"))
    }
}

/// Counts callers that are inside at the same time.
private final class Crowd: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func enter() {
        counts.withLock { counts in
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
    }

    func leave() { counts.withLock { $0.now -= 1 } }
}
