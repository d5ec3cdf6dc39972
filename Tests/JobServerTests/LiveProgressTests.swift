import FaultyHTTP
import Foundation
import StrictJSON
import Synchronization
import Testing

@Suite struct `The progress of a group that runs` {
    @Test func `is in the job, in its entity tag and in the commands`() throws {
        let isOpen = Mutex(false)
        let upstream = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                let latest = Date(timeIntervalSinceNow: 60)
                while request.hasPrefix("GET /slow"), !isOpen.withLock({ $0 }), Date() < latest {
                    usleep(10_000)
                }
                connection.answer("{}", status: request.hasPrefix("GET /bad") ? "404 Not Found" : "200 OK")
            }
        }
        defer { upstream.stop() }
        let server = try LiveServer()
        let items = Array(repeating: #""good""#, count: 9) + [#""bad""#, #""slow""#, #""slow""#]
        let id = try server.submit(
            #"""
            {"type": "group", "succeed_when": {"max_failures": 1}, "map": {"items": [\#(items.joined(separator: ","))],
              "operation": {"type": "network", "retry": {"max_attempts": 1}, "request": {
                "url": "\#(upstream.url("/{item}"))", "vars": {"item": {"$item": ""}}}}}}
            """#)
        let latest = Date(timeIntervalSinceNow: 20)
        var job = try server.get("/v1/jobs/\(id)")
        while job.at("/operations/done") != 10, Date() < latest {
            usleep(50_000)
            job = try server.get("/v1/jobs/\(id)")
        }
        #expect(job.at("/state") == "running")
        #expect(job.at("/operations/total") == 12 && job.at("/operations/done") == 10, "\(job.json)")
        #expect(job.at("/operations/failed") == 1 && job.at("/operations/by_state") == nil)
        let tag = try #require(job.field("ETag"))
        #expect(try server.get("/v1/jobs/\(id)", headers: ["If-None-Match: \(tag)"]).status == 304)
        let text = try server.client("get", id).output
        #expect(text.contains("done      10 of 12 operations, 1 failed"), "\(text)")

        isOpen.withLock { $0 = true }
        let ended = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=20"])
        #expect(ended.at("/state") == "succeeded")
        #expect(ended.at("/operations/total") == 12 && ended.at("/operations/done") == 12)
        #expect(ended.at("/operations/failed") == 1 && ended.at("/operations/by_state/failed") == 1)
        #expect(ended.at("/operations/estimated_until") == nil)
    }
}
