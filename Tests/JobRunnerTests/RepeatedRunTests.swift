import HTTPMessage
import JobJournal
import JobKit
@testable import MemoryStore
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `The runs of a repetition` {
    /// An engine that summarizes journals early.
    private static func bench(_ script: @escaping ScriptedTransport.Script) async throws -> Bench {
        var settings = RunnerSettings()
        settings.limits.summaryMin = 4
        return try await Bench(settings: settings, time: ManualClock(), script)
    }

    @Test func `start over when a repetition with until is retried`() async throws {
        let bench = try await Self.bench { _, before in
            .json(200, "{\"done\": \(before == 7)}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "repeat", "max_runs": 5, "every": "PT1S", "until": {"at": "/body/done", "equals": true},
             "operation": {"type": "network", "request": "https://a.example/"}}
            """#)
        let failed = try await bench.finishedInTime(id)
        #expect(failed.state == .failed)
        #expect(bench.transport.calls.count == 5)
        try await bench.retry(id)
        let record = try await bench.finishedInTime(id)
        #expect(record.state == .succeeded)
        #expect(bench.transport.calls.count == 8)
        #expect(try #require(record.finishedAt).since(try #require(failed.finishedAt)) >= .seconds(2))
        let views = try bench.views(id)
        #expect(["1", "3", "4"].map { views[$0]?.attempts.map(\.number) } == [[1, 2], [1, 2], [1]])
        #expect(["3", "4", "5"].map { views[$0]?.state } == [.succeeded, .skipped, .skipped])
        #expect(views["5"]?.errors.first?.detail.contains("earlier try") == true)
    }

    @Test func `have their errors, and the number of those that are left out`() async throws {
        let bench = try await Self.bench { _, _ in .json(500, "{}") }
        let id = try await bench.submit(
            #"""
            {"type": "repeat", "max_runs": 130, "operation": {"type": "network", "request": "https://a.example/",
             "retry": {"max_attempts": 1}}}
            """#)
        let record = try await bench.finishedInTime(id)
        #expect(record.state == .failed)
        let errors = record.detail.values.errors
        #expect(errors.count == 101)
        #expect(errors.last?.code == .groupErrorsOmitted)
        #expect(errors.last?.detail == "30 further errors of runs are left out.")
    }

    @Test func `are other calls for the upstream when made anew, and not when tried again`() async throws {
        let bench = try await Self.bench { call, before in
            .json(call.url.hasSuffix("/b") && before == 0 ? 503 : 200, "{}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "repeat", "max_runs": 2, "until": {"at": "/state", "equals": "never"},
             "operation": {"type": "group", "operations": [
               {"type": "network", "name": "a",
                "request": {"method": "POST", "url": "https://a.example/a", "idempotency_key": "auto"}},
               {"type": "network", "name": "b", "after": ["a"], "retry": {"max_attempts": 1}, "on_failure": "continue",
                "request": {"method": "POST", "url": "https://a.example/b", "idempotency_key": "auto"}}]}}
            """#)
        let first = try await bench.finishedInTime(id)
        #expect(first.state == .failed)
        try await bench.retry(id)
        #expect(try await bench.finishedInTime(id).state == .failed)
        let keys = bench.transport.calls.map { $0.value("idempotency-key") }
        let places = ["1/a", "1/b", "2/a", "2/b", "1/a#2", "1/b", "2/a#2", "2/b#2"]
        #expect(keys == places.map { "\"\(id)/\($0)\"" })
    }

    @Test func `are summarized when they are many, and still run one after another`() async throws {
        let time = ManualClock()
        let store = MemoryJobStore(clock: time)
        var settings = RunnerSettings()
        settings.limits.summaryMin = 8
        let bench = try await Bench(store: store, settings: settings, time: time) { _, _ in .json(200, "{}") }
        let id = try await bench.submit(
            #"""
            {"type": "repeat", "max_runs": 30, "every": "PT0.4S",
             "operation": {"type": "network", "request": "https://a.example/"}}
            """#)
        try await bench.letPass(inStepsOf: .milliseconds(400)) { bench.transport.calls.count >= 25 }
        #expect(try store.read { $0.entries[id]?.summary } != nil)
        #expect(try await bench.finishedInTime(id).state == .succeeded)
        #expect(bench.transport.calls.count == 30)
        #expect(try bench.views(id).values.allSatisfy { $0.path.isEmpty || $0.attempts.map(\.number) == [1] })
    }

    @Test func `map a new list when they are made anew`() async throws {
        let bench = try await Self.bench { call, before in
            .json(200, call.url.hasSuffix("/list") ? "{\"items\": [\(before + 1)]}" : "{}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "repeat", "max_runs": 1, "until": {"at": "/state", "equals": "never"},
             "operation": {"type": "group", "operations": [
               {"type": "network", "name": "list", "request": "https://a.example/list"},
               {"type": "group", "name": "each", "map": {"items": {"$get": "list", "at": "/body/items"}, "operation":
                 {"type": "network", "request": {"url": "https://a.example/{n}", "vars": {"n": {"$item": ""}}}}}}]}}
            """#)
        #expect(try await bench.finishedInTime(id).state == .failed)
        try await bench.retry(id)
        #expect(try await bench.finishedInTime(id).state == .failed)
        #expect(
            bench.transport.calls.map { $0.url.split(separator: "/").last } == ["list", "1", "list", "2"])
        #expect(try bench.views(id).keys.filter { $0.hasPrefix("1/each/") } == ["1/each/1"])
    }

    @Test func `carry values on, and are gathered, over a restart in the middle`() async throws {
        let store = MemoryJobStore()
        func script(hangingAt place: Int?) -> ScriptedTransport.Script {
            { call, _ in
                let number = Int(call.url.split(separator: "=").last ?? "") ?? 0
                if number == place { await untilCancelled() }
                let next = number < 5 ? "\(number + 1)" : "null"
                return .json(200, "{\"items\": [\(number), \(10 * number)], \"cursor\": \(next)}")
            }
        }
        let first = try await Bench(store: store, script(hangingAt: 3))
        let id = try await first.submit(
            #"""
            {"type": "repeat", "until": {"at": "/body/cursor", "equals": null}, "gather": {"at": "/body/items"},
             "operation": {"type": "network", "request": {"url": "https://a.example/",
               "query": {"cursor": {"$previous": "", "at": "/body/cursor", "default": 1}}}}}
            """#)
        try await settle(while: first.transport.calls.count < 3)
        first.kill()
        let second = try await Bench(store: store, script(hangingAt: nil))
        let record = try await second.finished(id)
        #expect(record.state == .succeeded)
        #expect(try record.inline() == [1, 10, 2, 20, 3, 30, 4, 40, 5, 50])
        #expect(second.transport.calls.map(\.url) == (3...5).map { "https://a.example/?cursor=\($0)" })
    }

    @Test func `are each followed by their final work when stopped during a suspension`() async throws {
        let bench = try await Self.bench { _, _ in .json(200, "{}") }
        let id = try await bench.submit(
            #"""
            {"type": "repeat", "max_runs": 100, "operation": {"type": "group",
             "operations": [{"type": "delay", "name": "rest", "for": "PT0.5S"}],
             "finally": [{"type": "network", "name": "tidy", "request": "https://a.example/tidy"}]}}
            """#)
        try await bench.letPass(inStepsOf: .milliseconds(100)) { bench.transport.calls.count >= 6 }
        _ = try await bench.wait(for: id) { $0 == .waiting }
        _ = try await bench.cancel(id)
        #expect(try await bench.finished(id).state == .cancelled)
        let begun =
            try bench.views(id).filter { !$0.key.contains("/") && $0.value.startedAt != nil }.count - 1
        #expect(begun == 7)
        #expect(bench.transport.calls.count == begun)
    }

    @Test func `are shown with their current state in another try`() async throws {
        let bench = try await Self.bench { _, _ in .json(200, "{}") }
        let id = try await bench.submit(
            #"""
            {"type": "repeat", "max_runs": 2, "every": "PT1S", "until": {"at": "/state", "equals": "never"},
             "operation": {"type": "await", "signal": "go"}}
            """#)
        for _ in 1...2 {
            let rested = try await bench.wait(for: id) { $0 == .waiting }
            try await bench.signal(id, "go", 1)
            _ = try await bench.wait(for: id, behind: rested.revision + 1) { $0 == .waiting || $0.isFinal }
            await bench.letPass(.seconds(1))
        }
        #expect(try await bench.finishedInTime(id).state == .failed)
        try await bench.retry(id)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        let views = try bench.views(id)
        #expect(views[""]?.wait == nil)
        #expect(["", "1", "2"].map { views[$0]?.state } == [.waiting, .waiting, .pending])
    }
}
