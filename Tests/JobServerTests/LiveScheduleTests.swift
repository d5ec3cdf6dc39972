import Foundation
import StrictJSON
import Testing

@Suite struct `Schedules over HTTP` {
    private static let value = #""job": {"type": "value", "value": {"for": {"$job": "scheduled_for"}}}"#

    /// The occurrences, the latest first.
    private func occurrences(_ server: LiveServer, _ name: String, _ query: String = "") throws
        -> [JSONObject]
    {
        let answer = try server.get("/v1/schedules/\(name)/occurrences\(query)")
        #expect(answer.status == 200, "\(answer.json)")
        return answer.at("/items")?.array?.compactMap(\.object) ?? []
    }

    /// The occurrences when there are at least `count`.
    private func occurrences(_ server: LiveServer, _ name: String, atLeast count: Int) throws -> [JSONObject]
    {
        let deadline = Date().addingTimeInterval(30)
        while Date() < deadline {
            let found = try occurrences(server, name)
            if found.count >= count { return found }
            usleep(100_000)
        }
        return try occurrences(server, name)
    }

    /// A full hour, so many hours before the last one.
    private func hour(ago hours: Int) -> String {
        let last = Int(Date().timeIntervalSince1970) / 3_600
        return ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: Double(last - hours) * 3_600))
    }

    @Test func `make a job for each planned time, which knows it`() throws {
        let server = try LiveServer()
        let stored = try server.send(
            "PUT", "/v1/schedules/tick", body: #"{"every": "1s", "overlap": "allow", \#(Self.value)}"#)
        #expect(stored.status == 201, "\(stored.json)")
        #expect(stored.field("Location") == "/v1/schedules/tick")
        #expect(stored.field("ETag") == "\"1\"")
        #expect(stored.at("/state") == "active")
        let found = try occurrences(server, "tick", atLeast: 3)
        let planned = found.compactMap { $0["scheduled_for"]?.string }
        #expect(Set(planned).count == planned.count)
        let id = try #require(found.last?["job_id"]?.string)
        let job = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=10"])
        #expect(job.at("/result/inline/for")?.string == planned.last)
        #expect(job.at("/labels/schedule") == "tick")
        #expect(job.at("/name") == "tick")
        #expect(try server.get("/v1/jobs/\(id)/spec").at("/$scheduled_for") == nil)
        #expect(try server.get("/v1/jobs?label.schedule=tick").at("/items")?.array?.isEmpty == false)
        let metrics = String(decoding: try server.get("/metrics").body, as: UTF8.self)
        #expect(metrics.contains("jobserver_schedule_skipped_total{reason=\"overlap\"} 0"))
        let first = try occurrences(server, "tick", "?page_size=1")
        #expect(first.count == 1)
    }

    @Test func `list their next planned times`() throws {
        let server = try LiveServer()
        let body = #"{"cron": "30 2 * * *", "tz": "Europe/Berlin", "max_runs": 40, \#(Self.value)}"#
        #expect(try server.send("PUT", "/v1/schedules/night", body: body).status == 201)
        let preview = try server.send("PUT", "/v1/schedules/night?validate_only=true", body: body)
        let upcoming = try server.get("/v1/schedules/night/upcoming?page_size=10")
        #expect(upcoming.at("/items") == preview.at("/next"))
        let first = try server.get("/v1/schedules/night/upcoming?page_size=30")
        let token = try #require(first.at("/next_page_token")?.string)
        let rest = try server.get("/v1/schedules/night/upcoming?page_size=30&page_token=\(token)")
        #expect(rest.at("/items")?.array?.count == 10)
        #expect(rest.at("/next_page_token") == nil)
        let all = try server.get("/v1/schedules/night/upcoming?page_size=500").at("/items")?.array
        #expect(all == (first.at("/items")?.array ?? []) + (rest.at("/items")?.array ?? []))
        #expect(try server.post("/v1/schedules/night:pause", "{}").status == 200)
        let paused = try server.get("/v1/schedules/night/upcoming?page_size=10")
        #expect(paused.at("/items") == preview.at("/next"))
        #expect(paused.at("/paused") == true)
        #expect(upcoming.at("/paused") == nil)
        #expect(try server.get("/v1/schedules/night/upcoming?page_size=0").status == 400)
        #expect(try server.get("/v1/schedules/none/upcoming").status == 404)
    }

    @Test func `preview as many planned times as max_runs leaves, and a pause`() throws {
        let server = try LiveServer()
        func preview(_ members: String, _ name: String = "few", _ more: String = "") throws
            -> LiveServer.Answer
        {
            try server.send(
                "PUT", "/v1/schedules/\(name)?validate_only=true\(more)", body: "{\(members), \(Self.value)}")
        }
        #expect(try preview(#""cron": "@daily", "max_runs": 2"#).at("/next")?.array?.count == 2)
        let end = Date(timeIntervalSinceNow: 2.5 * 86_400).ISO8601Format()
        let ended = try preview(#""cron": "@daily", "ends_at": "\#(end)""#)
        #expect([2, 3].contains(ended.at("/next")?.array?.count))
        #expect(try preview(#""cron": "@daily""#, "few", "&paused=true").at("/paused") == true)
        let once = #""every": "1s", "max_runs": 1"#
        _ = try server.send("PUT", "/v1/schedules/once", body: "{\(once), \(Self.value)}")
        _ = try occurrences(server, "once", atLeast: 1)
        #expect(try preview(once, "once").at("/next")?.array?.isEmpty == true)
        #expect(try preview(#""every": "1s", "max_runs": 3"#, "once").at("/next")?.array?.count == 2)
    }

    @Test func `are stored under conditions, and show what comes next`() throws {
        let server = try LiveServer()
        let body = #"{"cron": "30 2 * * *", "tz": "Europe/Berlin", \#(Self.value)}"#
        let preview = try server.send("PUT", "/v1/schedules/night?validate_only=true", body: body)
        #expect(preview.status == 200)
        #expect(preview.at("/next")?.array?.count == 10)
        #expect(preview.at("/warnings/0/code") == "warning.clocks_skip")
        #expect(try server.get("/v1/schedules/night").status == 404)
        let absent = try server.send("PUT", "/v1/schedules/night", headers: ["If-Match: \"1\""], body: body)
        #expect(absent.status == 412)
        #expect(
            absent.at("/detail")
                == "night does not exist, which is not what the request expects. Nothing was changed.")
        #expect(try server.send("PUT", "/v1/schedules/night", body: body).status == 201)
        #expect(try server.send("PUT", "/v1/schedules/night", body: body).at("/version") == 1)
        #expect(
            try server.send("PUT", "/v1/schedules/night", headers: ["If-None-Match: *"], body: body).status
                == 412)
        let other = #"{"cron": "@daily", \#(Self.value)}"#
        let changed = try server.send("PUT", "/v1/schedules/night", headers: ["If-Match: \"1\""], body: other)
        #expect(changed.status == 200)
        #expect(changed.at("/version") == 2)
        #expect(changed.at("/note/detail")?.string?.contains("changed") == true)
        #expect(try server.send("DELETE", "/v1/schedules/night", headers: ["If-Match: \"1\""]).status == 412)
        #expect(try server.get("/v1/schedules").at("/items/0/name") == "night")
        #expect(try server.send("DELETE", "/v1/schedules/night").status == 204)
        #expect(try server.get("/v1/schedules/night").status == 404)
        #expect(try server.get("/v1/schedules/night/occurrences").status == 404)
        let wrong = try server.send(
            "PUT", "/v1/schedules/night", body: #"{"cron": "*/10 *", \#(Self.value)}"#)
        #expect(wrong.status == 422)
        #expect(wrong.at("/errors/0/suggestion") == "*/10 * * * *")
    }

    @Test func `skip a time while a job runs, and tell of it`() throws {
        let server = try LiveServer()
        let slow = #""job": {"type": "delay", "for": "1h"}"#
        _ = try server.send("PUT", "/v1/schedules/slow", body: #"{"every": "1s", \#(slow)}"#)
        let found = try occurrences(server, "slow", atLeast: 3)
        let job = try #require(found.last?["job_id"]?.string)
        #expect(found.dropLast().allSatisfy { $0["skipped"] == "overlap" })
        #expect(found.first?["detail"]?.string?.contains(job) == true)
        let refused = try server.post("/v1/schedules/slow:run", "{}")
        #expect(refused.status == 409)
        #expect(refused.at("/job_id")?.string == job)
        let run = try server.post("/v1/schedules/slow:run", #"{"overlap": "allow"}"#)
        #expect(run.status == 202, "\(run.json)")
        #expect(run.at("/labels/schedule") == "slow")
        #expect(server.log.contains("schedule_skipped"))
    }

    @Test func `make one job for the same idempotency key, also while that job runs`() throws {
        let server = try LiveServer()
        let slow = #""job": {"type": "delay", "for": "1h"}"#
        _ = try server.send("PUT", "/v1/schedules/yearly", body: #"{"cron": "@yearly", \#(slow)}"#)
        let key = ["Idempotency-Key: r1"]
        let first = try server.post("/v1/schedules/yearly:run", "{}", headers: key)
        #expect(first.status == 202)
        let again = try server.post("/v1/schedules/yearly:run", "{}", headers: key)
        #expect(again.status == 202, "\(again.json)")
        #expect(again.at("/id") == first.at("/id"))
        #expect(again.field("Idempotency-Replayed") == "true")
        #expect(try server.get("/v1/schedules/yearly/occurrences").at("/items")?.array?.count == 1)
        let other = try server.post("/v1/schedules/yearly:run", #"{"overlap": "allow"}"#, headers: key)
        #expect(other.at("/code") == "idempotency.key_reused", "\(other.json)")
        let fresh = try server.post("/v1/schedules/yearly:run", "{}", headers: ["Idempotency-Key: r2"])
        #expect(fresh.status == 409)
        #expect(fresh.at("/job_id") == first.at("/id"))
        let audit = try server.get("/v1/audit?page_size=500").at("/items")?.array ?? []
        #expect(audit.count { $0.object?["action"] == "run" } == 1)
        let job = try #require(first.at("/id")?.string)
        _ = try server.post("/v1/jobs/\(job):cancel", "{}")
        _ = try server.send("DELETE", "/v1/jobs/\(job)")
        #expect(try server.post("/v1/schedules/yearly:run", "{}", headers: key).status == 410)
    }

    @Test func `replace the job that runs, or let one wait for it`() throws {
        let server = try LiveServer()
        let slow = #""job": {"type": "delay", "for": "1h"}"#
        _ = try server.send(
            "PUT", "/v1/schedules/newest", body: #"{"every": "1s", "overlap": "replace", \#(slow)}"#)
        _ = try server.send(
            "PUT", "/v1/schedules/line", body: #"{"every": "1s", "overlap": "wait", \#(slow)}"#)
        let replaced = try occurrences(server, "newest", atLeast: 3)
        let old = try #require(replaced.last?["job_id"]?.string)
        #expect(try server.get("/v1/jobs/\(old)", headers: ["Prefer: wait=10"]).at("/state") == "cancelled")
        let line = try occurrences(server, "line", atLeast: 3)
        #expect(line.reversed().map { $0["skipped"]?.string }.prefix(3) == [nil, nil, "overlap"])
        let second = try #require(line.reversed()[1]["job_id"]?.string)
        #expect(try server.get("/v1/jobs/\(second)").at("/done") == false)
    }

    @Test func `are paused and resumed without catching up`() throws {
        let server = try LiveServer()
        _ = try server.send("PUT", "/v1/schedules/tick", body: #"{"every": "1s", \#(Self.value)}"#)
        let paused = try server.post("/v1/schedules/tick:pause", #"{"reason": "release"}"#)
        #expect(paused.at("/state") == "paused")
        #expect(paused.at("/pause/reason") == "release")
        let before = try occurrences(server, "tick").count
        sleep(3)
        #expect(try server.post("/v1/schedules/tick:resume", "{}").at("/state") == "active")
        let found = try occurrences(server, "tick", atLeast: before + 3)
        #expect(found.count { $0["skipped"] == "paused" } >= 2)
        #expect(found.filter { $0["skipped"] == "paused" }.allSatisfy { $0["detail"] == "release" })
    }

    @Test func `fill in what was missed when they are told to`() throws {
        let server = try LiveServer()
        let body = #"{"cron": "0 * * * *", \#(Self.value)}"#
        _ = try server.send("PUT", "/v1/schedules/hourly", body: body)
        let (from, to) = (hour(ago: 8), hour(ago: 3))
        let range = #"{"from": "\#(from)", "to": "\#(to)", "concurrency": 2}"#
        let preview = try server.post("/v1/schedules/hourly:backfill?validate_only=true", range)
        #expect(preview.at("/times")?.array?.count == 6, "\(preview.json)")
        #expect(try server.post("/v1/schedules/hourly:backfill", range).status == 202)
        let found = try occurrences(server, "hourly", atLeast: 6)
        #expect(found.count { $0["origin"] == "backfill" } == 6)
        #expect(found.last?["scheduled_for"]?.string?.prefix(19) == from.prefix(19))
        let missing = try server.post("/v1/schedules/hourly:backfill?validate_only=true", range)
        #expect(missing.at("/times")?.array?.isEmpty == true)
        #expect(
            try server.post("/v1/schedules/hourly:backfill", #"{"from": "2026-01-01", "only": "some"}"#)
                .status == 400)
    }

    @Test func `fill in times of which nothing is known only when all are wanted`() throws {
        let server = try LiveServer()
        let body = #"{"cron": "0 * * * *", \#(Self.value)}"#
        #expect(try server.send("PUT", "/v1/schedules/hourly", body: body).status == 201)
        func preview(_ only: String, from hours: Int) throws -> LiveServer.Answer {
            let range = #""from": "\#(hour(ago: hours))", "to": "\#(hour(ago: hours - 4))""#
            return try server.post(
                "/v1/schedules/hourly:backfill?validate_only=true", #"{\#(range), "only": "\#(only)"}"#)
        }
        for only in ["missing", "failed"] {
            let refused = try preview(only, from: 31 * 24)
            #expect(refused.status == 400)
            #expect(refused.at("/errors/0/pointer") == "/from")
            #expect(refused.at("/errors/0/detail")?.string?.contains("30 days") == true)
            #expect(try preview(only, from: 29 * 24).status == 200)
        }
        let all = try preview("all", from: 31 * 24)
        #expect(all.at("/times")?.array?.count == 5, "\(all.json)")
    }

    @Test func `refuse a backfill of more planned times than one may have, and name the part that fits`()
        throws
    {
        let server = try LiveServer()
        let body = #"{"every": "1s", \#(Self.value)}"#
        #expect(try server.send("PUT", "/v1/schedules/often?paused=true", body: body).status == 201)
        let range = #"{"from": "1990-01-01T00:00:00Z", "only": "all"}"#
        for query in ["", "?validate_only=true"] {
            let refused = try server.post("/v1/schedules/often:backfill\(query)", range)
            #expect(refused.status == 400)
            #expect(refused.at("/errors/0/pointer") == "/to")
            #expect(refused.at("/errors/0/detail")?.string?.contains("1990-01-02T03:46:39.000Z") == true)
        }
        #expect(try server.post("/v1/schedules/none:backfill", range).status == 404)
    }

    @Test func `are changed at once while a backfill looks through times that get no job`() throws {
        let server = try LiveServer()
        let day = hour(ago: 48).prefix(10)
        let body = #"{"every": "1s", "except": ["\#(day)"], \#(Self.value)}"#
        #expect(try server.send("PUT", "/v1/schedules/often?paused=true", body: body).status == 201)
        let range = #"{"from": "\#(day)T00:00:00Z", "to": "\#(day)T23:59:59Z", "only": "all"}"#
        let preview = try server.post("/v1/schedules/often:backfill?validate_only=true", range)
        #expect(preview.at("/times")?.array?.isEmpty == true, "\(preview.json)")
        #expect(try server.post("/v1/schedules/often:backfill", range).status == 202)
        // Each is answered while it still looks.
        for action in ["resume", "pause"] {
            let answer = try server.post("/v1/schedules/often:\(action)", "{}")
            #expect(answer.status == 200)
            #expect(answer.at("/backfill/made") == 0)
        }
        let changed = try server.send(
            "PUT", "/v1/schedules/often", body: #"{"every": "2s", \#(Self.value)}"#)
        #expect(changed.at("/state") == "paused")
        #expect(changed.at("/backfill/made") == 0)
        let nightly = #"{"cron": "0 3 * * *", \#(Self.value)}"#
        let other = try server.send("PUT", "/v1/schedules/other", body: nightly)
        #expect(other.status == 201)
        #expect(try server.send("DELETE", "/v1/schedules/often").status == 204)
    }

    @Test func `follow the queue of their jobs: its defaults, and its limit of waiting jobs`() throws {
        let server = try LiveServer()
        let queue = #"{"defaults": {"priority": 8}, "max_waiting": 1}"#
        #expect(try server.post("/v1/queues/mail:pause").status == 200)
        #expect(try server.send("PUT", "/v1/queues/mail", body: queue).status == 200)
        let job = #""job": {"type": "value", "value": 1, "queue": "mail"}"#
        _ = try server.send(
            "PUT", "/v1/schedules/mails", body: #"{"every": "1s", "overlap": "allow", \#(job)}"#)
        let found = try occurrences(server, "mails", atLeast: 3)
        let first = try #require(found.last?["job_id"]?.string)
        #expect(try server.get("/v1/jobs/\(first)").at("/priority") == 8)
        #expect(found.first?["skipped"] == "limit")
        #expect(found.first?["detail"]?.string?.contains("mail") == true)
    }

    @Test func `are paused by failures in a row`() throws {
        let server = try LiveServer()
        let failing = #""job": {"type": "value", "value": {"$job": "labels", "at": "/none"}}"#
        _ = try server.send(
            "PUT", "/v1/schedules/broken", body: #"{"every": "1s", "pause_after_failures": 2, \#(failing)}"#)
        let deadline = Date().addingTimeInterval(20)
        var answer = try server.get("/v1/schedules/broken")
        while Date() < deadline, answer.at("/state") != "paused" {
            usleep(100_000)
            answer = try server.get("/v1/schedules/broken")
        }
        #expect(answer.at("/state") == "paused")
        #expect(answer.at("/pause/reason")?.string?.contains("2 jobs in a row failed") == true)
        #expect(try occurrences(server, "broken").count { $0["job_id"] != nil } == 2)
        #expect(try server.post("/v1/schedules/broken:resume", "{}").at("/failures") == 0)
    }

    @Test func `use templates as they are at the time`() throws {
        let server = try LiveServer()
        let template = #"""
            {"parameters": {"n": {"type": "integer"}},
             "operation": {"type": "value", "value": {"n": {"$param": "n"}, "at": {"$job": "scheduled_for"}}}}
            """#
        _ = try server.send("PUT", "/v1/templates/count", body: template)
        let stored = try server.send(
            "PUT", "/v1/schedules/counts", body: #"{"every": "1s", "template": "count", "params": {"n": 7}}"#)
        #expect(stored.status == 201, "\(stored.json)")
        let id = try #require(try occurrences(server, "counts", atLeast: 1).last?["job_id"]?.string)
        let job = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=10"])
        #expect(job.at("/result/inline/n") == 7)
        #expect(job.at("/result/inline/at")?.string?.hasPrefix("20") == true)
        #expect(try server.send("DELETE", "/v1/templates/count").status == 204)
        let deadline = Date().addingTimeInterval(20)
        var last: JSONObject?
        while Date() < deadline, last?["skipped"] != "invalid" {
            last = try occurrences(server, "counts").first
            usleep(100_000)
        }
        #expect(last?["skipped"] == "invalid")
        #expect(last?["detail"]?.string?.contains("count") == true)
    }

    @Test func `have one job for each planned time over kills`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let names = (0..<8).map { "tick\($0)" }
        var server = try LiveProgram(directory: home)
        for name in names {
            _ = try server.send(
                "PUT", "/v1/schedules/\(name)", body: #"{"every": "1s", "overlap": "allow", \#(Self.value)}"#)
        }
        for _ in 0..<6 {
            usleep(UInt32.random(in: 900_000...1_900_000))
            _ = server.stop(SIGKILL)
            server = try LiveProgram(directory: home)
        }
        sleep(2)
        let listed = try server.get("/v1/jobs?page_size=500").at("/items")?.array ?? []
        let jobs = listed.compactMap { $0.object?["id"]?.string }
        #expect(!jobs.isEmpty)
        var owned: [String] = []
        for name in names {
            let found = try occurrences(server, name, "?page_size=500").reversed()
            let times = found.compactMap { $0["scheduled_for"]?.string }
            #expect(times == times.sorted())
            for (one, next) in zip(times, times.dropFirst()) {
                #expect(try seconds(next) - seconds(one) == 1, "\(one), \(next)")
            }
            #expect(found.allSatisfy { ($0["job_id"] == nil) != ($0["skipped"] == nil) })
            owned += found.compactMap { $0["job_id"]?.string }
        }
        #expect(Set(owned).count == owned.count)
        #expect(Set(jobs).isSubset(of: owned))
    }

    private func seconds(_ text: String) throws -> Int {
        let date = try #require(ISO8601DateFormatter().date(from: text.prefix(19) + "Z"))
        return Int(date.timeIntervalSince1970)
    }
}
