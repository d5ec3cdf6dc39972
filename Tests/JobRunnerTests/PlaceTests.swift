import JobKit
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `A place in a group` {
    /// Answers 503 to the first call of each URL.
    private func bench() async throws -> Bench {
        try await Bench(time: ManualClock()) { _, before in .json(before == 0 ? 503 : 200, "{}") }
    }

    private static let later = #""retry": {"max_attempts": 2, "backoff": "PT1H", "jitter": "none"}"#

    /// Has the key until it gets a signal.
    private static let holder =
        #"{"type": "await", "signal": "go", "conditions": [{"type": "mutual_exclusion", "key": "k"}]}"#

    @Test func `stays with who has begun, also when the job was put down`() async throws {
        let bench = try await bench()
        let holder = try await bench.submit(Self.holder)
        _ = try await bench.wait(for: holder) { $0 == .waiting }
        let id = try await bench.submit(
            #"""
            {"type": "group", "concurrency": 1, "operations": [
              {"type": "value", "name": "first", "value": 1,
               "conditions": [{"type": "mutual_exclusion", "key": "k"}]},
              {"type": "network", "name": "second", "request": "https://a.example/", \#(Self.later)}]}
            """#)
        let resting = try await bench.wait(for: id) { $0 == .waiting }
        #expect(bench.transport.calls.count == 1)
        try await bench.signal(holder, "go", 1)
        // The key is free: the job is looked at once more, and the place is not.
        let again = try await bench.wait(for: id, behind: resting.revision) { $0 == .waiting || $0.isFinal }
        #expect(again.state == .waiting)
        #expect(try bench.views(id)["first"]?.state == .pending)
        #expect(try await bench.finishedInTime(id).state == .succeeded)
        #expect(bench.transport.calls.count == 2)
    }

    @Test func `is not given to one who waits for the keys of who has begun`() async throws {
        let bench = try await bench()
        let holder = try await bench.submit(Self.holder)
        _ = try await bench.wait(for: holder) { $0 == .waiting }
        let key = #""conditions": [{"type": "mutual_exclusion", "key": "inside"}]"#
        let id = try await bench.submit(
            #"""
            {"type": "group", "concurrency": 1, "operations": [
              {"type": "group", "name": "behind", "conditions": [{"type": "mutual_exclusion", "key": "k"}],
               "operations": [{"type": "value", "value": 2, \#(key)}]},
              {"type": "group", "name": "begun", "operations": [
                {"type": "network", "request": "https://a.example/", \#(key), \#(Self.later)}]}]}
            """#)
        let resting = try await bench.wait(for: id) { $0 == .waiting }
        #expect(try bench.views(id)["begun"]?.state == .running)
        try await bench.signal(holder, "go", 1)
        _ = try await bench.wait(for: id, behind: resting.revision) { $0 == .waiting }
        #expect(try await bench.finishedInTime(id).state == .succeeded)
        #expect(bench.transport.calls.count == 2)
    }

    @Test func `is free again when who has begun ends before it has come back to it`() async throws {
        let bench = try await bench()
        let holder = try await bench.submit(Self.holder)
        _ = try await bench.wait(for: holder) { $0 == .waiting }
        let id = try await bench.submit(
            #"""
            {"type": "group", "concurrency": 1, "operations": [
              {"type": "value", "name": "behind", "value": 1,
               "conditions": [{"type": "mutual_exclusion", "key": "k"}]},
              {"type": "network", "name": "begun", "request": "https://a.example/", "on_failure": "continue",
               "deadline": "PT30M", \#(Self.later)}]}
            """#)
        let resting = try await bench.wait(for: id) { $0 == .waiting }
        try await bench.signal(holder, "go", 1)
        _ = try await bench.wait(for: id, behind: resting.revision) { $0 == .waiting }
        #expect(try await bench.finishedInTime(id).state == .succeeded)
        #expect(try bench.views(id)["begun"]?.state == .failed)
        #expect(try bench.views(id)["behind"]?.state == .succeeded)
        #expect(bench.transport.calls.count == 1)
    }
}
