import Foundation
import StrictJSON
import Testing

@Suite(.world) struct `Calls that are tried again` {
    @Test func `succeed in the end and show every attempt`() async throws {
        let world = try World.here
        let url = world.upstream.script("/flaky", .status(500), .status(502), .json(200, #"{"ok": true}"#))
        let ended = try await world.run(
            #"""
            {"type": "network", "name": "call", "request": "\#(url)",
             "retry": {"max_attempts": 3, "backoff": "1ms", "jitter": "none"}}
            """#)
        #expect(ended.state == "succeeded")
        #expect(ended.at("/attempt") == 3)
        #expect(ended.at("/errors") == nil)
        #expect(ended.at("/result/inline") == ["ok": true])
        let attempts = try await ended.job.attempts()
        #expect(attempts.map { $0.text("/state") } == ["failed", "failed", "succeeded"])
        #expect(attempts.map { $0.at("/status") } == [500, 502, 200])
        #expect(attempts.prefix(2).map { $0.text("/error/code") } == ["http.status", "http.status"])
        #expect(attempts.map { $0.at("/retried") == true } == [true, true, false])
        #expect(ended.events(of: "_root").filter { $0 == "finished" }.count == 1)
        #expect(world.upstream.count(of: "/flaky") == 3)
    }

    @Test func `give up with the last error after all attempts`() async throws {
        let world = try World.here
        let url = world.upstream.script("/hopeless", .status(500), .status(500), .status(504))
        let ended = try await world.run(
            #"""
            {"type": "network", "name": "call", "request": "\#(url)",
             "retry": {"max_attempts": 3, "backoff": "1ms", "jitter": "none"}}
            """#)
        #expect(ended.state == "failed")
        #expect(ended.at("/attempt") == 3)
        #expect(ended.codes == ["http.status"])
        #expect(ended.at("/error/upstream/status") == 504)
        #expect(ended.at("/error/attempt") == 3)
        #expect(ended.at("/error/retry_stopped_by") == "attempts")
        #expect(world.upstream.count(of: "/hopeless") == 3)
    }

    @Test func `wait as long as the upstream asks for`() async throws {
        let world = try World.here
        let url = world.upstream.script(
            "/later", .status(503, fields: ["Retry-After: 2"]), .status(200))
        let job = try await world.submit(
            #"""
            {"type": "network", "name": "call", "request": "\#(url)",
             "retry": {"max_attempts": 2, "backoff": "1ms", "jitter": "none"}}
            """#)
        let waiting = try await job.reaches("retrying")
        #expect(waiting.at("/last_error/upstream/status") == 503)
        #expect(waiting.at("/next_attempt_at") != nil)
        #expect(waiting.at("/error") == nil)
        #expect(try await job.ended().state == "succeeded")
        let calls = world.upstream.calls(of: "/later")
        #expect(calls.count == 2)
        #expect(calls[1].began - calls[0].began >= .milliseconds(1_990))
    }

    @Test(arguments: [429, 529, 503]) func `are tried again after a passing refusal`(status: Int) async throws
    {
        let world = try World.here
        let url = world.upstream.script("/refused\(status)", .status(status), .status(200))
        let ended = try await world.run(call(url))
        #expect(ended.state == "succeeded")
        #expect(world.upstream.count(of: "/refused\(status)") == 2)
    }

    @Test(arguments: [400, 404, 410]) func `are not tried again after a lasting refusal`(status: Int)
        async throws
    {
        let world = try World.here
        let url = world.upstream.script("/final\(status)", .json(status, #"{"why": "no"}"#))
        let ended = try await world.run(call(url))
        #expect(ended.state == "failed")
        #expect(ended.at("/error/upstream/status")?.number?.int == status)
        #expect(ended.at("/error/upstream/body_excerpt") == #"{"why": "no"}"#)
        #expect(ended.at("/error/delivery") == "answered")
        #expect(ended.at("/error/retryable") == false)
        #expect(world.upstream.count(of: "/final\(status)") == 1)
    }

    @Test func `are tried again after a dropped connection, when that is safe`() async throws {
        let world = try World.here
        let url = world.upstream.script("/dropped", .dropped, .status(200))
        #expect(try await world.run(call(url)).state == "succeeded")
        #expect(world.upstream.count(of: "/dropped") == 2)
        let unsafe = world.upstream.script("/dropped-post", .dropped, .status(200))
        let ended = try await world.run(
            #"""
            {"type": "network", "request": {"method": "POST", "url": "\#(unsafe)", "json": {}},
             "retry": {"max_attempts": 3, "backoff": "1ms"}}
            """#)
        #expect(ended.state == "failed")
        #expect(ended.codes == ["connect.reset"])
        #expect(ended.at("/error/delivery") == "sent_unknown")
        #expect(ended.at("/error/retry_stopped_by") == "unsafe_method")
        #expect(world.upstream.count(of: "/dropped-post") == 1)
    }

    @Test func `are tried again when an attempt takes too long`() async throws {
        let world = try World.here
        let url = world.upstream.script("/slow", .stalled, .status(200))
        let ended = try await world.run(
            #"""
            {"type": "network", "request": "\#(url)", "timeouts": {"attempt": "150ms"},
             "retry": {"max_attempts": 2, "backoff": "1ms"}}
            """#)
        #expect(ended.state == "succeeded")
        let attempts = try await ended.job.attempts()
        #expect(attempts.first?.at("/error/code") == "timeout.attempt")
        #expect(world.upstream.count(of: "/slow") == 2)
    }

    @Test func `are not waited for any more when cancelled between two attempts`() async throws {
        let world = try World.here
        let url = world.upstream.script("/cancelled", .status(503))
        let job = try await world.submit(
            #"{"type": "network", "request": "\#(url)", "retry": {"max_attempts": 3, "backoff": "1h"}}"#)
        try await job.reaches("retrying")
        _ = try await job.cancel()
        let ended = try await job.ended()
        #expect(ended.state == "cancelled")
        #expect(ended.codes.first == "cancelled.user")
        #expect(world.upstream.count(of: "/cancelled") == 1)
    }

    @Test func `report an empty body that was to be JSON`() async throws {
        let world = try World.here
        let url = world.upstream.script("/empty", .json(200, ""))
        let ended = try await world.run(
            #"""
            {"type": "network", "request": "\#(url)", "retry": {"max_attempts": 1},
             "expect": {"that": {"at": "/body/id", "exists": true}}}
            """#)
        #expect(ended.state == "failed")
        #expect(ended.at("/error/stage") == "execution")
        #expect(ended.codes == ["expect.that"])
        #expect(world.upstream.count(of: "/empty") == 1)
    }

    private func call(_ url: String) -> String {
        #"""
        {"type": "network", "request": "\#(url)",
         "retry": {"max_attempts": 3, "backoff": "1ms", "jitter": "none"}}
        """#
    }
}
