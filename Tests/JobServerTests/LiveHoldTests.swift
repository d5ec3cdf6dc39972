import Foundation
import StrictJSON
import Testing

@Suite struct `Holding a job over HTTP` {
    @Test func `keeps it until it is released`() throws {
        let server = try LiveServer()
        let id = try server.submit(#"{"type": "value", "value": 1, "run_at": "1h"}"#)
        let held = try server.post("/v1/jobs/\(id):hold", #"{"reason": "closed"}"#)
        #expect(held.status == 200)
        #expect(held.at("/state") == "held")
        #expect(held.at("/waiting_on/0/kind") == "hold")
        #expect(try server.post("/v1/jobs/\(id):hold").status == 200)
        let released = try server.post("/v1/jobs/\(id):release")
        #expect(released.status == 200)
        #expect(released.at("/state") == "scheduled")
        #expect(released.at("/waiting_on/0/kind") == "time")
        let types = try server.get("/v1/jobs/\(id)/events").at("/items")?.array?.compactMap {
            $0.object?["type"]?.string
        }
        #expect(types == ["held", "released"])
        #expect(try server.post("/v1/jobs/\(id):cancel").at("/state") == "cancelled")
        #expect(try server.post("/v1/jobs/\(id):hold").status == 409)
        #expect(try server.post("/v1/jobs/\(id):release").status == 409)
        #expect(try server.post("/v1/jobs/job_00000000000000000000000000:hold").status == 404)
    }
}
