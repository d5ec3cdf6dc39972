import HTTPMessage
import JobJournal
import JobKit
@testable import MemoryStore
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `Operations inside of others` {
    @Test func `of a repeat are shown by their numbers`() async throws {
        let bench = try await Bench { _, before in .json(before == 1 ? 404 : 200, #"{"n": \#(before)}"#) }
        let id = try await bench.submit(
            #"{"type": "repeat", "max_runs": 3, "operation": {"type": "network", "request": "https://a.example/"}}"#
        )
        let record = try await bench.finished(id)
        #expect(record.state == .failed)
        let views = try bench.views(id)
        #expect(views.keys.sorted() == ["", "1", "2", "3"])
        #expect(["1", "2", "3"].map { views[$0]?.state } == [.succeeded, .failed, .succeeded])
        #expect(views["2"]?.type == "network")
        #expect(record.detail.values.operations.values.reduce(0, +) == 3)
    }

    @Test func `that have ended are not run again after a restart`() async throws {
        let time = ManualClock()
        let store = MemoryJobStore(clock: time)
        let first = try await Bench(store: store, time: time) { _, before in
            if before == 1 { await untilCancelled() }
            return .json(200, #"{"from": "first"}"#)
        }
        let id = try await first.submit(
            #"{"type": "repeat", "max_runs": 3, "every": "PT0.5S", "operation": "#
                + #"{"type": "network", "request": "https://a.example/"}}"#)
        _ = try await first.wait(for: id) { $0 == .waiting }
        await first.letPass(.milliseconds(500))
        try await settle(while: first.transport.calls.count < 2)
        first.kill()
        let second = try await Bench(store: store, time: time) { _, _ in .json(200, #"{"from": "second"}"#) }
        let record = try await second.finishedInTime(id)
        #expect(record.state == .succeeded)
        #expect(second.transport.calls.count == 2)
        #expect(try record.inline() == ["from": "second"])
        let took = try #require(record.finishedAt).since(record.createdAt)
        #expect(took >= .seconds(1))
    }

    @Test func `of a closed gate are skipped, like the gate`() async throws {
        let bench = try await Bench(time: ManualClock())
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
              {"type": "group", "name": "door", "when": {"$job": "name", "equals": "x"},
               "operations": [{"type": "network", "name": "work", "request": "https://a.example/"}]},
              {"type": "delay", "name": "rest", "for": "PT0.5S"}]}
            """#)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        #expect(try bench.views(id)["door"]?.state == .skipped)
        #expect(try bench.views(id)["door/work"]?.state == .skipped)
        #expect(try await bench.finishedInTime(id).state == .succeeded)
        #expect(bench.transport.calls.isEmpty)
    }

    @Test func `can be referred to after the job was suspended and rebuilt`() async throws {
        let bench = try await Bench(time: ManualClock()) { _, _ in .json(200, #"{"token": "t"}"#) }
        let id = try await bench.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
              {"type": "group", "name": "login", "operations": [
                {"type": "network", "name": "token", "request": "https://a.example/"}]},
              {"type": "delay", "name": "rest", "for": "PT0.6S"},
              {"type": "value", "name": "got", "value": {"$get": "login/token", "at": "/body/token"}}]}
            """#)
        let record = try await bench.finishedInTime(id)
        #expect(record.state == .succeeded)
        #expect(bench.changes(of: id).map(\.state).contains(.waiting))
        #expect(bench.transport.calls.count == 1)
        #expect(try bench.views(id)["got"]?.result?.bodyValue == "t")
    }

    @Test func `of a list are all shown, and those that ended are not run again after a restart`()
        async throws
    {
        let store = MemoryJobStore()
        let first = try await Bench(store: store) { call, _ in
            if call.url.hasSuffix("2") { await untilCancelled() }
            return .json(200, #"{"from": "first"}"#)
        }
        let id = try await first.submit(
            #"""
            {"type": "group", "map": {"items": [1, 2, 3, 4], "concurrency": 1, "operation":
              {"type": "network", "request": {"url": "https://a.example/{n}", "vars": {"n": {"$item": ""}}}}}}
            """#)
        try await settle(while: first.transport.calls.count < 2)
        let views = try first.views(id)
        #expect(views.keys.sorted() == ["", "1", "2", "3", "4"])
        #expect(views["1"]?.state == .succeeded)
        #expect(views["4"]?.state == .pending)
        first.kill()
        let second = try await Bench(store: store) { _, _ in .json(200, #"{"from": "second"}"#) }
        let record = try await second.finished(id)
        #expect(record.state == .succeeded)
        #expect(second.transport.calls.map(\.url) == [2, 3, 4].map { "https://a.example/\($0)" })
        let results = try record.inline()?.array ?? []
        #expect(results.map { $0.object?["from"] } == ["first", "second", "second", "second"])
    }

    @Test func `polls are attempts, and wait out of memory`() async throws {
        let bench = try await Bench(time: ManualClock()) { _, before in
            .json(200, "{\"done\": \(before == 2)}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "poll", "request": "https://a.example/", "every": "PT0.4S",
             "until": {"at": "/body/done", "equals": true}, "retry": {"max_attempts": 1}}
            """#)
        let record = try await bench.finishedInTime(id)
        #expect(record.state == .succeeded)
        #expect(bench.changes(of: id).map(\.state).contains(.waiting))
        #expect(!bench.changes(of: id).map(\.state).contains(.retrying))
        let attempts = try bench.views(id)[""]?.attempts ?? []
        #expect(attempts.map(\.outcome) == [.notDone, .notDone, .succeeded])
        #expect(attempts[0].nextAttemptAt != nil)
    }

    @Test func `polls are counted and shown one by one however many runs they take`() async throws {
        let time = ManualClock()
        let store = MemoryJobStore(clock: time)
        var settings = RunnerSettings()
        settings.limits.summaryMin = 8
        let bench = try await Bench(store: store, settings: settings, time: time) { _, _ in
            .json(200, "{\"done\": false}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "poll", "request": "https://a.example/", "every": "PT0.4S", "max_polls": 30,
             "until": {"at": "/body/done", "equals": true}}
            """#)
        try await bench.letPass(inStepsOf: .milliseconds(400)) { bench.transport.calls.count >= 25 }
        let summary = try store.read { $0.entries[id]?.summary }
        #expect(try #require(summary).entries.count < 10)
        let record = try await bench.finishedInTime(id)
        #expect(record.state == .failed)
        #expect(bench.transport.calls.count == 30)
        #expect(try bench.views(id)[""]?.attempts.map(\.number) == Array(1...30))
    }

    @Test func `that are polled are followed after the job was suspended`() async throws {
        let bench = try await Bench(time: ManualClock()) { call, before in
            if call.method == "POST" { return .json(202, "{}", fields: [("Location", "/watch/7")]) }
            return .json(before == 0 ? 202 : 200, "{}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "poll", "request": {"method": "POST", "url": "https://a.example/start"}, "every": "PT0.4S",
             "follow": true}
            """#)
        let record = try await bench.finishedInTime(id)
        #expect(record.state == .succeeded)
        #expect(
            bench.transport.calls.map { "\($0.method) \($0.url)" } == [
                "POST https://a.example/start", "GET https://a.example/watch/7",
                "GET https://a.example/watch/7",
            ])
        let entries = try bench.store.makeReader().journal(id, after: 0, limit: 100).map(\.entry)
        let noted = entries.compactMap { entry -> String? in
            guard case .attemptStarted(_, let method?, let url?) = entry.event else { return nil }
            return "\(method) \(url)"
        }
        #expect(noted == bench.transport.calls.map { "\($0.method) \($0.url)" })
        #expect(bench.changes(of: id).map(\.state).contains(.waiting))
    }
}
