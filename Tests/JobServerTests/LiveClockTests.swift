import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// Each timeout, against an upstream that makes it expire.
@Suite(.serialized) struct `A live clock` {
    private func run(_ server: LiveServer, _ url: String, _ timeouts: String) throws -> LiveServer.Answer {
        try server.post(
            "/v1/jobs",
            #"{"type": "network", "request": "\#(url)", "timeouts": {\#(timeouts)}, "retry": {"max_attempts": 1}}"#,
            headers: ["Prefer: wait=30"])
    }

    @Test func `of an attempt ends it with its own error`() throws {
        let server = try LiveServer()
        let silent = FaultServer { connection, _ in connection.waitForClose() }
        let talking = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            for _ in 0..<400 {
                connection.send("x")
                connection.pause(milliseconds: 50)
            }
        }
        let halting = FaultServer { connection, _ in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc")
            connection.waitForClose()
        }
        defer { for target in [silent, talking, halting] { target.stop() } }
        // A peer that accepts the connection and never answers the TLS greeting.
        let secure = "https://127.0.0.1:\(silent.port)/"
        for (clock, url, timeouts, delivery) in [
            ("connect", secure, #""connect": "300ms""#, "not_sent"),
            ("first_byte", silent.url(), #""first_byte": "300ms""#, "sent_unknown"),
            ("stall", halting.url(), #""stall": "300ms""#, "answered"),
            ("attempt", talking.url(), #""attempt": "400ms""#, "answered"),
        ] {
            let ended = try run(server, url, timeouts)
            #expect(ended.at("/state") == "failed", "\(clock)")
            #expect(ended.at("/error/code")?.string == "timeout.\(clock)")
            #expect(ended.at("/error/delivery")?.string == delivery, "\(clock)")
            #expect(ended.at("/error/retryable") == true)
            #expect(ended.at("/error/retry_stopped_by") == "attempts")
        }
    }

    @Test func `of an operation ends it with all its attempts`() throws {
        let server = try LiveServer()
        let failing = FaultServer { connection, _ in connection.answerAll("{}", status: "500 Broken") }
        defer { failing.stop() }
        let ended = try server.post(
            "/v1/jobs",
            #"""
            {"type": "network", "request": "\#(failing.url())", "timeouts": {"total": "700ms"},
             "retry": {"max_attempts": 100, "backoff": "100ms", "jitter": "none"}}
            """#, headers: ["Prefer: wait=30"])
        #expect(ended.at("/state") == "failed")
        #expect(ended.at("/error/code") == "timeout.total")
        #expect((2...8).contains(failing.requests.count))
    }

    @Test func `to start ends a job that was not started`() throws {
        let server = try LiveServer(["--concurrency", "1"])
        let holding = FaultServer { connection, _ in connection.waitForClose() }
        defer { holding.stop() }
        _ = try server.submit(#"{"type": "network", "request": "\#(holding.url())"}"#)
        let late = try server.submit(#"{"type": "value", "value": 1, "start_by": "500ms"}"#)
        let ended = try server.get("/v1/jobs/\(late)", headers: ["Prefer: wait=30"])
        #expect(ended.at("/state") == "expired")
        #expect(ended.at("/error/code") == "timeout.start_by")
        #expect(ended.at("/error/detail")?.string?.contains("start_by") == true)
        #expect(ended.at("/start_by")?.string != nil && ended.at("/finish_by") == nil)
    }

    @Test func `of a deadline ends a job that was not started`() throws {
        let server = try LiveServer(["--concurrency", "1"])
        let holding = FaultServer { connection, _ in connection.waitForClose() }
        defer { holding.stop() }
        let dated = try server.submit(
            #"{"type": "delay", "for": "100ms", "run_at": "1h", "finish_by": "700ms", "start_by": "1m"}"#)
        let past = try server.submit(
            #"{"type": "value", "value": 1, "run_at": "1h", "finish_by": "2001-01-01T00:00:00Z"}"#)
        let sooner = try server.submit(
            #"{"type": "value", "value": 1, "run_at": "1h", "finish_by": "1m", "start_by": "700ms"}"#)
        _ = try server.submit(#"{"type": "network", "request": "\#(holding.url())", "unique": "k"}"#)
        let waiting = try server.submit(
            #"{"type": "value", "value": 1, "unique": {"key": "k", "on_conflict": "wait"}, "finish_by": "700ms"}"#
        )
        let queued = try server.submit(#"{"type": "value", "value": 1, "finish_by": "700ms"}"#)
        for id in [dated, past, waiting, queued] {
            let ended = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=10"])
            #expect(ended.at("/state") == "failed")
            #expect(ended.at("/error/code") == "timeout.finish_by")
            #expect(ended.at("/error/detail")?.string?.contains("finish_by") == true)
            #expect(ended.at("/finish_by")?.string != nil)
            #expect(ended.at("/started_at") == nil)
        }
        let expired = try server.get("/v1/jobs/\(sooner)", headers: ["Prefer: wait=10"])
        #expect(expired.at("/state") == "expired")
        #expect(expired.at("/error/code") == "timeout.start_by")
    }

    @Test func `is shown with its value and where that comes from`() throws {
        let server = try LiveServer()
        let submitted = try server.post(
            "/v1/jobs",
            #"""
            {"type": "network", "run_at": "1h", "request": {"method": "POST", "url": "http://127.0.0.1/"},
             "timeouts": {"attempt": "5s", "total": "1m"}, "defaults": {"timeouts": {"connect": "2s"}}}
            """#)
        #expect(submitted.status == 202)
        #expect(submitted.at("/warnings/0/code") == "warning.unsafe_retry")
        #expect(submitted.at("/effective") == nil)
        let id = submitted.at("/id")?.string ?? ""
        #expect(try server.get("/v1/jobs/\(id)").at("/warnings") == nil)
        let full = try server.get("/v1/jobs/\(id)?view=full")
        #expect(full.at("/warnings/0/code") == "warning.unsafe_retry")
        for (clock, value, source) in [
            ("attempt", "5s", "spec"), ("connect", "2s", "defaults"), ("stall", "30s", "default"),
            ("total", "1m", "spec"),
        ] {
            #expect(full.at("/effective/operations/0/timeouts/\(clock)/value")?.string == value)
            #expect(full.at("/effective/operations/0/timeouts/\(clock)/source")?.string == source)
        }
        #expect(full.at("/effective/operations/0/timeouts/queue") == nil)
        #expect(full.at("/effective/operations/0/retry/max_attempts/value") == 5)
        #expect(try server.get("/v1/jobs/\(id)?view=ful").at("/errors/0/suggestion") == "full")
        let safe = try server.post("/v1/jobs", #"{"type": "delay", "for": "1h"}"#)
        #expect(safe.at("/warnings") == nil)
    }
}
