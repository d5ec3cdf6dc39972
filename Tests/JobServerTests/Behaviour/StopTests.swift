import Foundation
import StrictJSON
import Testing

@Suite struct `A program that is stopped` {
    @Test func `lets what runs finish, keeps what waits, and goes on with it later`() async throws {
        let directory = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let upstream = Upstream()
        defer { upstream.stop() }
        let url = upstream.script("/running", .held(.status(200)))
        let next = upstream.script("/next", .status(200))
        let first = try LiveServer(directory: directory)
        let running = try first.submit(#"{"type": "network", "request": "\#(url)"}"#)
        let waiting = try first.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [{"type": "delay", "for": "1s"},
              {"type": "network", "request": "\#(next)"}]}
            """#)
        await upstream.waitForCalls(of: "/running", 1)
        kill(first.pid, SIGTERM)
        upstream.release("/running")
        #expect(first.stop(0) == 0)
        let second = try LiveServer(directory: directory)
        #expect(try second.get("/v1/jobs/\(running)").at("/state") == "succeeded")
        let ended = try second.get("/v1/jobs/\(waiting)", headers: ["Prefer: wait=20"])
        #expect(ended.at("/state") == "succeeded")
        #expect(upstream.count(of: "/running") == 1)
        #expect(upstream.count(of: "/next") == 1)
    }
}
