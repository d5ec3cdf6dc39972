import Dispatch
import FaultyHTTP
import Foundation
import StrictJSON
import Synchronization
import Testing

/// A receiver of callbacks.
private final class Listener: Sendable {
    struct Call {
        let path: String
        let head: String
        let event: JSONValue

        func at(_ pointer: String) -> JSONValue? { JSONPointer(pointer)?.resolve(in: event) }
    }

    struct NotCalled: Error {}

    private let calls = Mutex<[String]>([])
    private let arrivals = DispatchSemaphore(value: 0)
    private let running = Mutex<FaultServer?>(nil)

    /// - Parameter refusals: the statuses of the first answers; the others are 204.
    init(refusing refusals: [String] = []) {
        let left = Mutex(refusals)
        let server = FaultServer { [self] connection, _ in
            while let request = connection.readRequest() {
                let status = left.withLock { $0.isEmpty ? "204 No Content" : $0.removeFirst() }
                connection.answer("", status: status)
                calls.withLock { $0.append(request) }
                arrivals.signal()
            }
        }
        running.withLock { $0 = server }
    }

    func stop() { running.withLock { $0 }?.stop() }

    func url(_ path: String) -> String { running.withLock { $0 }?.url(path) ?? "" }

    /// The next call.
    func next() throws -> Call {
        guard arrivals.wait(timeout: .now() + 20) == .success else { throw NotCalled() }
        let text = calls.withLock { $0.removeFirst() }
        let parts = text.components(separatedBy: "\r\n\r\n")
        let event = (try? JSONParser.parse(Array((parts.last ?? "").utf8))) ?? .null
        return Call(
            path: String(text.split(separator: " ").dropFirst().first ?? ""), head: parts.first ?? "",
            event: event)
    }
}

/// Callbacks of the real program.
@Suite struct `Live callbacks` {
    private func jobs(_ server: LiveServer, of id: String) throws -> [JSONValue] {
        try server.get("/v1/jobs?label.callback_of=\(id)").at("/items")?.array ?? []
    }

    @Test func `receive the end with the whole job`() throws {
        let listener = Listener()
        defer { listener.stop() }
        let server = try LiveServer()
        let id = try server.submit(
            #"""
            {"type": "value", "value": {"n": 7}, "labels": {"team": "finance"}, "metadata": {"x": {"$get": "y"}},
             "callbacks": ["\#(listener.url("/done"))"]}
            """#)
        let call = try listener.next()
        #expect(call.head.hasPrefix("POST /done HTTP/1.1\r\n"))
        #expect(call.head.contains("Content-Type: application/cloudevents+json; charset=utf-8"))
        #expect(call.head.contains("Idempotency-Key: "))
        #expect(call.at("/specversion") == "1.0")
        #expect(call.at("/type") == "jobserver.job.succeeded")
        #expect(call.at("/source") == .string("/v1/jobs/\(id)"))
        #expect(call.at("/subject") == .string(id))
        #expect(call.at("/data/result/inline/n") == 7)
        let job = try server.rest(id)
        #expect(call.at("/data") == job.json)
        #expect(call.at("/time") == job.at("/finished_at"))
        let made = try jobs(server, of: id)
        #expect(made.count == 1)
        #expect(JSONPointer("/0/queue")?.resolve(in: .array(made)) == "callbacks")
    }

    @Test func `receive the outcomes that they are registered for, whatever ends the job`() throws {
        let listener = Listener()
        defer { listener.stop() }
        let server = try LiveServer()
        let callbacks = #"""
            "callbacks": [{"request": "\#(listener.url("/good"))", "states": ["succeeded"]},
                          {"request": "\#(listener.url("/bad"))", "states": ["failed", "cancelled", "expired"]}]
            """#
        _ = try server.submit(#"{"type": "value", "value": 1, \#(callbacks)}"#)
        #expect(try listener.next().path == "/good")
        _ = try server.submit(
            #"{"type": "network", "request": "\#(listener.url("/x"))", "expect": {"status": [299]}, \#(callbacks)}"#
        )
        #expect(try listener.next().path == "/x")
        let failed = try listener.next()
        #expect(failed.path == "/bad")
        #expect(failed.at("/type") == "jobserver.job.failed")
        #expect(failed.at("/data/error/code") == "expect.status")
        let waiting = try server.submit(#"{"type": "value", "value": 1, "run_at": "1h", \#(callbacks)}"#)
        _ = try server.post("/v1/jobs/\(waiting):cancel")
        #expect(try listener.next().at("/type") == "jobserver.job.cancelled")
        let running = try server.submit(#"{"type": "delay", "for": "1h", \#(callbacks)}"#)
        _ = try server.post("/v1/jobs/\(running):cancel")
        #expect(try listener.next().at("/data/state") == "cancelled")
        _ = try server.submit(
            #"{"type": "value", "value": 1, "run_at": "1h", "start_by": "1ms", \#(callbacks)}"#)
        #expect(try listener.next().at("/type") == "jobserver.job.expired")
        let good = try server.get("/v1/jobs?queue=callbacks").at("/items")?.array ?? []
        #expect(good.count == 5)
    }

    @Test func `are sent for each job of a batch, and again after another try`() throws {
        let listener = Listener()
        defer { listener.stop() }
        let server = try LiveServer()
        let job = #"{"type": "value", "value": 1, "run_at": "1h", "callbacks": ["\#(listener.url("/"))"]}"#
        let batch = try server.post("/v1/jobs:batch", "[\(job), \(job)]")
        let ids = ["/items/0/job/id", "/items/1/job/id"].compactMap { batch.at($0)?.string }
        #expect(ids.count == 2)
        for id in ids { _ = try server.post("/v1/jobs/\(id):cancel") }
        let first = try [listener.next(), listener.next()]
        #expect(Set(first.compactMap { $0.at("/subject")?.string }) == Set(ids))
        let id = try #require(ids.first)
        #expect(try server.post("/v1/jobs/\(id):retry").status == 202)
        let again = try listener.next()
        #expect(again.at("/subject") == .string(id))
        #expect(again.at("/type") == "jobserver.job.succeeded")
        #expect(!first.contains { $0.at("/id") == again.at("/id") })
    }

    @Test func `are signed, and tried again with the same event`() throws {
        let listener = Listener(refusing: ["404 Not Found", "503 Service Unavailable"])
        defer { listener.stop() }
        let server = try LiveServer()
        #expect(
            try server.send("PUT", "/v1/secrets/hook", body: #"{"text": "whsec_c2VjcmV0IGhvb2sga2V5"}"#)
                .status == 201)
        let id = try server.submit(
            #"""
            {"type": "value", "value": 1, "callbacks": [{
              "request": {"url": "\#(listener.url("/signed"))",
                "auth": {"type": "hmac", "scheme": "standard_webhooks", "key": {"$secret": "hook"}}},
              "retry": {"backoff": "10ms"}}]}
            """#)
        let calls = try (0..<3).map { _ in try listener.next() }
        #expect(calls.allSatisfy { $0.head.contains("webhook-signature: v1,") })
        #expect(Set(calls.map(\.event)).count == 1)
        let marks = calls.map { call in
            call.head.split(separator: "\r\n").first { $0.hasPrefix("webhook-id") }
        }
        #expect(Set(marks).count == 1)
        let made = try #require(try jobs(server, of: id).first?.object?["id"]?.string)
        #expect(try server.rest(made).at("/attempt") == 3)
        #expect(
            !String(decoding: try server.get("/v1/jobs/\(made)/spec").body, as: UTF8.self).contains(
                "c2VjcmV0"))
    }

    @Test func `outlive the server`() throws {
        let listener = Listener(refusing: ["503 Service Unavailable"])
        defer { listener.stop() }
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let first = try LiveProgram(directory: home)
        let id = try first.submit(
            #"""
            {"type": "value", "value": 1,
             "callbacks": [{"request": "\#(listener.url("/"))", "retry": {"backoff": "1s", "jitter": "none"}}]}
            """#)
        let refused = try listener.next()
        _ = first.stop(SIGKILL)
        let second = try LiveProgram(directory: home)
        let told = try listener.next()
        #expect(told.at("/id") == refused.at("/id"))
        #expect(try jobs(second, of: id).count == 1)
    }
}
