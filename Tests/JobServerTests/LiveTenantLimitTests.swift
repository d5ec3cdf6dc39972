import Foundation
import StrictJSON
import Testing

@testable import JobServer

/// The limits of tenants.
@Suite(.serialized) struct `Tenants with limits` {
    private static let long = #"{"type": "delay", "for": "1h", "run_at": "1h"}"#

    @Test func `are held to their limits, which do not touch the other`() throws {
        let limits = ["--tenant-limits", "acme:unfinished=2", "--tenant-limits", "beta:rate=2/h"]
        let teams = try TenantServer(limits)
        let long = Self.long
        let first = try teams.acme.submit(long)
        _ = try teams.acme.submit(long)
        let full = try teams.acme.post("/v1/jobs", long)
        #expect(full.status == 429)
        #expect(full.at("/code") == "tenant.limited")
        #expect(full.field("retry-after") == "5")
        #expect(try teams.acme.post("/v1/jobs:batch", "[\(long)]").at("/accepted") != 1)
        #expect(try teams.acme.post("/v1/jobs/\(first):cancel").status == 200)
        #expect(try teams.acme.post("/v1/jobs", long).status == 202)
        #expect(try teams.acme.post("/v1/jobs", long).status == 429)
        for _ in 0..<2 { _ = try teams.beta.submit(#"{"type": "value", "value": 1}"#) }
        let late = try teams.beta.post("/v1/jobs", long)
        #expect(late.status == 429)
        #expect(late.at("/detail")?.string?.contains("rate") == true)
        #expect(try teams.operate.post("/v1/jobs", long).status == 202)
        let bad = try LiveServer.command(["serve", "--tenant-limits", "acme:rate=often"])
        #expect(bad.code == 2)
        #expect(bad.errors.contains("acme:rate=10/s"))
    }

    @Test func `count what retries and bulk actions make`() throws {
        let teams = try TenantServer(["--tenant-limits", "acme:unfinished=1"])
        let (acme, beta) = (teams.acme, teams.beta)
        let wrong =
            #"{"type": "value", "value": 1, "conditions": [{"type": "authorized_for", "grant": "no"}]}"#
        for client in [acme, beta] {
            #expect(try client.send("PUT", "/v1/grants/no", #"{"state": "denied"}"#).status == 201)
        }
        let failed = try acme.submit(wrong)
        #expect(try acme.end(of: failed).at("/state") == "failed")
        let open = try acme.submit(Self.long)
        let retried = try acme.post("/v1/jobs/\(failed):retry")
        #expect(retried.status == 429)
        #expect(retried.at("/code") == "tenant.limited")
        for action in ["retry", "requeue"] {
            let bulk = try acme.bulk(#"{"action": "\#(action)", "ids": ["\#(failed)"]}"#)
            let result = try acme.get("/v1/bulk-actions/\(bulk)/results")
            #expect(result.at("/items/0/state") == "skipped")
            #expect(result.at("/items/0/code") == "tenant.limited", "\(result.json)")
        }
        #expect(try acme.get("/v1/jobs:count").at("/count") == 2)
        let other = try beta.submit(wrong)
        #expect(try beta.end(of: other).at("/state") == "failed")
        #expect(try beta.post("/v1/jobs/\(other):retry").status == 202)
        #expect(try acme.post("/v1/jobs/\(open):cancel").status == 200)
        #expect(try acme.post("/v1/jobs/\(failed):retry").status == 202)
        #expect(try acme.end(of: failed).at("/state") == "failed")
        let bulk = try acme.bulk(#"{"action": "requeue", "ids": ["\#(failed)"]}"#)
        #expect(try acme.get("/v1/bulk-actions/\(bulk)/results").at("/items/0/state") == "succeeded")
    }

    @Test func `skip planned times, and let a backfill wait`() throws {
        let teams = try TenantServer(["--tenant-limits", "acme:unfinished=1"])
        let (acme, beta) = (teams.acme, teams.beta)
        let open = try acme.submit(Self.long)
        for client in [acme, beta] {
            let schedule = #"{"every": "1s", "job": {"type": "value", "value": 1}}"#
            #expect(try client.send("PUT", "/v1/schedules/tick", schedule).status == 201)
        }
        func first(_ client: TenantClient) throws -> LiveServer.Answer {
            try client.get("/v1/schedules/tick/occurrences")
        }
        #expect(try soon { try first(acme).at("/items/0") != nil && first(beta).at("/items/0") != nil })
        let skipped = try first(acme)
        #expect(skipped.at("/items/0/skipped") == "limit", "\(skipped.json)")
        #expect(skipped.at("/items/0/detail")?.string?.contains("your limit") == true)
        #expect(try first(beta).at("/items/0/job_id") != nil)
        #expect(try acme.post("/v1/schedules/tick:run").status == 429)
        #expect(try acme.send("DELETE", "/v1/schedules/tick").status == 204)
        let hourly = #"{"every": "1h", "job": {"type": "value", "value": 1, "queue": "back"}}"#
        #expect(try acme.send("PUT", "/v1/schedules/hourly", hourly).status == 201)
        let range = """
            {"from": "2026-01-01T00:00:00Z", "to": "2026-01-01T02:30:00Z", "only": "all", "concurrency": 2}
            """
        #expect(try acme.post("/v1/schedules/hourly:backfill", range).status == 202)
        usleep(1_500_000)
        #expect(try acme.get("/v1/jobs?queue=back").at("/items") == [])
        #expect(try acme.post("/v1/jobs/\(open):cancel").status == 200)
        #expect(
            try soon { try acme.get("/v1/jobs?queue=back&state=succeeded").at("/items")?.array?.count == 3 })
        let times = try acme.get("/v1/schedules/hourly/occurrences").at("/items")?.array ?? []
        #expect(times.count == 3)
        #expect(times.allSatisfy { $0.object?["job_id"] != nil })
    }

    @Test func `accept as much of a batch as they allow, and nothing of an atomic one`() throws {
        let teams = try TenantServer([
            "--tenant-limits", "acme:unfinished=3", "--tenant-limits", "beta:rate=4/h",
        ])
        let batch = "[" + Array(repeating: Self.long, count: 5).joined(separator: ",") + "]"
        for (client, count) in [(teams.acme, 3), (teams.beta, 4)] {
            #expect(try client.post("/v1/jobs:batch?atomic=true", batch).status == 429)
            let joined = #"{"type": "delay", "for": "1h", "unique": {"key": "k", "on_conflict": "join"}}"#
            for _ in 0..<4 { #expect([200, 202].contains(try client.post("/v1/jobs", joined).status)) }
            let answer = try client.post("/v1/jobs:batch", batch)
            #expect(answer.at("/accepted") == JSONValue(integerLiteral: Int64(count - 1)), "\(answer.json)")
            #expect(answer.at("/refused") == JSONValue(integerLiteral: Int64(6 - count)))
            #expect(answer.at("/items/4/status") == 429)
            #expect(answer.at("/items/4/problem/code") == "tenant.limited")
            #expect(try client.post("/v1/jobs:batch", batch).status == 429)
            #expect(try client.get("/v1/jobs:count").at("/count") == JSONValue(integerLiteral: Int64(count)))
        }
    }
}
