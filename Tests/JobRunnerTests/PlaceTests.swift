import JobJournal
import JobKit
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `A place in a group` {
    private static let later = #""retry": {"max_attempts": 2, "backoff": "PT1H", "jitter": "none"}"#

    /// A job with two operations and one slot. The first needs the key `k`, which another job holds, so that the second
    /// begins; its call is answered with 503, and it waits for an hour. Then the key is free, and the job is run again.
    private func rebuilt(_ operations: String) async throws -> (bench: Bench, id: JobID, record: JobRecord) {
        let bench = try await Bench(time: ManualClock()) { _, before in .json(before == 0 ? 503 : 200, "{}") }
        let holder = try await bench.submit(
            #"{"type": "await", "signal": "go", "conditions": [{"type": "lock", "key": "k"}]}"#)
        _ = try await bench.wait(for: holder) { $0 == .waiting }
        let id = try await bench.submit(
            #"{"type": "group", "concurrency": 1, "operations": [\#(operations)]}"#)
        let resting = try await bench.wait(for: id) { $0 == .waiting }
        #expect(try bench.views(id)["begun"]?.startedAt != nil)
        #expect(bench.transport.calls.count == 1)
        try await bench.signal(holder, "go", 1)
        let record = try await bench.wait(for: id, behind: resting.revision) { $0 == .waiting || $0.isFinal }
        return (bench, id, record)
    }

    @Test func `stays with the operation that has begun, also when the job was suspended`() async throws {
        let (bench, id, record) = try await rebuilt(
            #"""
            {"type": "value", "name": "behind", "value": 1,
             "conditions": [{"type": "lock", "key": "k"}]},
            {"type": "network", "name": "begun", "request": "https://a.example/", \#(Self.later)}
            """#)
        #expect(record.state == .waiting)
        #expect(try bench.views(id)["behind"]?.state == .pending)
        #expect(try await bench.finishedInTime(id).state == .succeeded)
        #expect(bench.transport.calls.count == 2)
    }

    @Test func `is not assigned to a waiter for the keys of a running operation`() async throws {
        let key = #""conditions": [{"type": "lock", "key": "inside"}]"#
        let (bench, id, _) = try await rebuilt(
            #"""
            {"type": "group", "name": "behind", "conditions": [{"type": "lock", "key": "k"}],
             "operations": [{"type": "value", "value": 2, \#(key)}]},
            {"type": "group", "name": "begun", "operations": [
              {"type": "network", "request": "https://a.example/", \#(key), \#(Self.later)}]}
            """#)
        let views = try bench.views(id)
        #expect(views["begun"]?.startedAt != nil)
        #expect(views["begun"]?.state == .waiting)
        #expect(views["behind"]?.state == .pending)
        #expect(try await bench.finishedInTime(id).state == .succeeded)
        #expect(bench.transport.calls.count == 2)
    }

    @Test func `is free again when its holder ends before resuming`() async throws {
        let (bench, id, _) = try await rebuilt(
            #"""
            {"type": "value", "name": "behind", "value": 1,
             "conditions": [{"type": "lock", "key": "k"}]},
            {"type": "network", "name": "begun", "request": "https://a.example/", "on_failure": "continue",
             "finish_by": "PT30M", \#(Self.later)}
            """#)
        #expect(try await bench.finishedInTime(id).state == .succeeded)
        #expect(try bench.views(id)["begun"]?.state == .failed)
        #expect(try bench.views(id)["behind"]?.state == .succeeded)
        #expect(bench.transport.calls.count == 1)
    }
}
