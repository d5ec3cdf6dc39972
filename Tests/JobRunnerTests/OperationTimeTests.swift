import JobJournal
import JobKit
import MemoryStore
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `An operation with times of its own` {
    private let time = ManualClock()

    /// A group with one call and these members of it.
    private func group(_ members: String) -> String {
        #"{"type": "group", "operations": [{"type": "network", "name": "send", "request": "https://x.example/", "#
            + members + "}]}"
    }

    @Test func `needs no memory until it may begin, and begins after a restart, too`() async throws {
        let store = MemoryJobStore(clock: time)
        let first = try await Bench(store: store, time: time)
        let id = try await first.submit(group(#""run_at": "PT1H""#))
        let waiting = try await first.wait(for: id) { $0.isSuspended }
        let date = waiting.createdAt.advanced(by: .seconds(3_600))
        #expect(waiting.state == .waiting && waiting.dueAt == date)
        let view = try #require(try first.views(id)["send"])
        #expect(view.wait?.reason == .start && view.startedAt == nil)
        first.kill()
        let next = try await Bench(store: store, time: time)
        let record = try await next.finishedInTime(id)
        #expect(record.state == .succeeded && record.finishedAt == date)
        #expect(first.transport.calls.isEmpty && next.transport.calls.count == 1)
    }

    @Test func `expires while its job is suspended, and runs after a retry`() async throws {
        let bench = try await Bench(settings: .asking, time: time)
        let id = try await bench.submit(
            group(#""start_by": "PT1H", "conditions": [{"type": "approval", "prompt": "Send it?"}]"#))
        _ = try await bench.wait(for: id) { $0 == .waiting }
        let failed = try await bench.finishedInTime(id)
        #expect(failed.state == .failed && failed.error?.code == .timeoutStartBy)
        #expect(try bench.views(id)["send"]?.state == .expired)
        try await bench.retry(id)
        let again = try await bench.wait(for: id, behind: failed.revision) { $0 == .waiting }
        #expect(again.state == .waiting)
        await bench.letPass(.seconds(7_200))
        #expect(try bench.store.makeReader().job(id)?.state == .waiting)
    }
}
