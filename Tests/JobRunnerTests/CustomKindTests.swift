import HTTPMessage
import JobJournal
import JobKit
@testable import JobRunner
import JobSpec
@testable import JobStore
import MemoryStore
import StrictJSON
import Synchronization
import Testing

/// Shouts a text; fails as often as it is told to.
private struct Shouting: AOperation {
    let text: String
    let failures: Int

    func execute(in context: OperationContext) async throws -> JSONValue {
        if context.attempt <= failures {
            throw AOperationError(ErrorCode("voice.hoarse"), detail: "No voice.", retryable: true)
        }
        return .string(text.uppercased() + "!")
    }
}

private let shout = OperationKind(
    "shout", members: [.required("text", .string), .optional("failures", .integer)]
) {
    Shouting(text: $0["text"]?.string ?? "", failures: $0["failures"]?.number?.int ?? 0)
}

/// Makes a call and rethrows its failure.
private let ask = OperationKind("ask", members: []) { _ in
    ClosureOperation { context -> JSONValue in
        let answer = try await context.send(HTTPCall(method: "GET", url: "http://x.example/"))
        return .number(JSONNumber(Int64(answer.status)))
    }
}

/// A text, measured.
private struct Measured: Encodable {
    var length: Int
    var words: [String]
    var note: String?
}

private let measure = OperationKind("measure", members: [.required("text", .string)]) { members in
    ClosureOperation { _ in
        let text = members["text"]?.string ?? ""
        return Measured(length: text.count, words: text.split(separator: " ").map(String.init))
    }
}

@Suite struct `A job of a custom kind` {
    private func bench(
        _ kinds: OperationKind..., store: any JobStore = MemoryJobStore(),
        _ script: @escaping ScriptedTransport.Script = { _, _ in .json(200, #"{"name": "Ada"}"#) }
    ) async throws -> Bench {
        var settings = RunnerSettings()
        settings.kinds = try OperationKinds(kinds)
        return try await Bench(store: store, settings: settings, script)
    }

    @Test func `runs and keeps its result`() async throws {
        let bench = try await bench(shout)
        let id = try await bench.submit(#"{"type": "shout", "text": "hello"}"#)
        let record = try await bench.finished(id)
        #expect(record.state == .succeeded)
        #expect(try record.inline() == "HELLO!")
        #expect(try bench.views(id)[""]?.type == "shout")
    }

    @Test func `may return any value that can be encoded`() async throws {
        let count = OperationKind("count") { _ in ClosureOperation { _ -> [Int] in [1, 2] } }
        let broken = OperationKind("broken") { _ in ClosureOperation { _ -> Double in .nan } }
        let bench = try await bench(measure, count, broken)
        let id = try await bench.submit(#"{"type": "measure", "text": "one two"}"#)
        #expect(
            try await bench.finished(id).inline()
                == ["length": 7, "words": ["one", "two"]])
        let list = try await bench.submit(#"{"type": "count"}"#)
        #expect(try await bench.finished(list).inline() == [1, 2])
        let bad = try await bench.submit(#"{"type": "broken", "retry": {"max_attempts": 1}}"#)
        #expect(try await bench.finished(bad).error?.code == .unexpected)
    }

    @Test func `passes values on, from a call and to a call`() async throws {
        let bench = try await bench(shout)
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "network", "name": "who", "request": "https://x.example/who"},
                {"type": "shout", "name": "greet",
                 "text": {"$text": "hi {name}", "vars": {"name": {"$get": "who", "at": "/body/name"}}}},
                {"type": "network", "name": "send", "request":
                    {"url": "https://x.example/{what}", "vars": {"what": {"$get": "greet"}}}}]}
            """#)
        #expect(try await bench.finished(id).state == .succeeded)
        #expect(bench.transport.calls.last?.url == "https://x.example/HI%20ADA%21")
    }

    @Test func `is retried according to its spec, and every attempt is recorded`() async throws {
        let bench = try await bench(shout)
        let id = try await bench.submit(
            #"""
            {"type": "shout", "text": "a", "failures": 2,
             "retry": {"max_attempts": 3, "backoff": {"type": "fixed", "initial": "1ms"}}}
            """#)
        let record = try await bench.finished(id)
        #expect(record.state == .succeeded)
        #expect(record.attempt == 3)
        let attempts = try #require(try bench.views(id)[""]?.attempts)
        #expect(attempts.map(\.outcome) == [.failed, .failed, .succeeded])
        #expect(attempts.first?.error?.code == ErrorCode("voice.hoarse"))
        #expect(attempts.first?.status == nil)
    }

    @Test func `fails with the error of the operation when attempts run out`() async throws {
        let bench = try await bench(shout)
        let id = try await bench.submit(
            #"{"type": "shout", "name": "loud", "text": "a", "failures": 9, "retry": {"max_attempts": 1}}"#)
        let error = try await bench.finished(id).error
        #expect(error?.code.description == "voice.hoarse")
        #expect(error?.publisher == "loud")
        #expect(error?.retryStoppedBy == "attempts")
    }

    @Test func `fails as its call failed, and is tried again as calls are`() async throws {
        for (code, retry, calls) in [
            ("egress.blocked", "", 1), ("connect.refused", "", 3),
            ("connect.refused", #""never": ["connect.*"], "#, 1),
            ("connect.refused", #""errors": ["connect.*"], "#, 3),
        ] {
            let bench = try await bench(ask) { (_, _) throws(HTTPCallFailure) in
                throw HTTPCallFailure(code: code, detail: "No.", phase: .connect, delivery: .notSent)
            }
            let id = try await bench.submit(
                #"{"type": "ask", "retry": {\#(retry)"max_attempts": 3, "backoff": "1ms"}}"#)
            let error = try await bench.finished(id).error
            #expect(error?.code.description == code)
            #expect(error?.delivery == "not_sent")
            #expect(bench.transport.calls.count == calls, "\(code) \(retry)")
        }
    }

    @Test(arguments: [
        (#"{"type": "mail"}"#, "", 3), (#"{"type": "mail", "retryable": true}"#, "", 3),
        (#"{"type": "mail", "retryable": false}"#, "", 1), (#"{"type": "mail", "plain": true}"#, "", 3),
        (#"{"type": "mail"}"#, #""errors": ["smtp.*"], "#, 3),
        (#"{"type": "mail"}"#, #""errors": ["smtp.down"], "#, 3),
        (#"{"type": "mail"}"#, #""errors": ["imap.*"], "#, 1),
        (#"{"type": "mail"}"#, #""never": ["smtp.*"], "#, 1),
    ])
    func `is tried again after its own errors, unless they say no`(
        spec: String, rule: String, count: Int
    ) async throws {
        struct Plain: Error {}
        let tries = Mutex(0)
        let mail = OperationKind(
            "mail", members: [.optional("retryable", .boolean), .optional("plain", .boolean)]
        ) {
            members in
            ClosureOperation { _ -> JSONValue in
                tries.withLock { $0 += 1 }
                if members["plain"] != nil { throw Plain() }
                throw AOperationError(
                    "smtp.down", detail: "It is down.", retryable: members["retryable"]?.bool)
            }
        }
        let bench = try await bench(mail)
        let id = try await bench.submit(
            String(spec.dropLast()) + #", "retry": {\#(rule)"max_attempts": 3, "backoff": "1ms"}}"#)
        let error = try #require(try await bench.finished(id).error)
        #expect(tries.withLock { $0 } == count, "\(spec) \(rule)")
        #expect(error.retryStoppedBy == (count == 3 ? "attempts" : "policy"))
    }

    @Test func `fails when a value at run time has the wrong type`() async throws {
        let bench = try await bench(shout) { _, _ in .json(200, #"{"name": 7}"#) }
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "network", "name": "who", "request": "https://x.example/who"},
                {"type": "shout", "text": {"$get": "who", "at": "/body/name"},
                 "retry": {"max_attempts": 3, "backoff": "1ms"}}]}
            """#)
        let error = try await bench.finished(id).error
        #expect(error?.code.description == "reference.missing")
        #expect(error?.retryStoppedBy == "policy")
        #expect(error?.detail.contains("\"text\" of shout must be a string") == true)
    }

    @Test func `fails clearly on a server that has not got its kind`() async throws {
        let store = MemoryJobStore()
        let first = try await bench(shout, store: store) { _, _ in
            await untilCancelled()
            return .json(200, "{}")
        }
        let id = try await first.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
                {"type": "network", "name": "call", "request": "https://x.example/"},
                {"type": "shout", "name": "greet", "text": "hello"}]}
            """#)
        try await settle(while: first.transport.calls.isEmpty)
        first.kill()

        let smaller = try await bench(store: store)
        let record = try await smaller.finished(id)
        #expect(record.state == .failed)
        let error = record.error
        #expect(error?.code.description == "internal.kind_missing")
        #expect(error?.path == ["group", "greet"])
        #expect(error?.detail.contains("without the kind \"shout\"") == true)
        #expect(try smaller.views(id)["call"]?.state == .succeeded)
    }

    @Test func `is not done twice after a crash when its kind forbids it`() async throws {
        let store = MemoryJobStore()
        let runs = Mutex(0)
        let careful = OperationKind("careful", repeatsAfterCrash: false) { _ in
            ClosureOperation { _ in
                runs.withLock { $0 += 1 }
                await untilCancelled()
                try Task.checkCancellation()
                return .null
            }
        }
        let first = try await bench(careful, store: store)
        let id = try await first.submit(#"{"type": "careful"}"#)
        try await settle(while: runs.withLock({ $0 }) == 0)
        first.kill()
        let second = try await bench(careful, store: store)
        let record = try await second.finished(id)
        #expect(record.state == .failed)
        #expect(record.error?.code.description == "internal.interrupted")
        #expect(runs.withLock { $0 } == 1)
    }
}
