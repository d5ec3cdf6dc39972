import HTTPMessage
import JobKit
@testable import JobRunner
@testable import JobStore
import Synchronization
import Testing

@Suite struct `A drain` {
    @Test func `ends the calls that are still in flight, also when the store replies at once`() async throws {
        let cut = AsyncStream.makeStream(of: Void.self)
        let bench = try await Bench { _, _ throws(HTTPCallFailure) in
            await untilCancelled()
            if Task.isCancelled { cut.continuation.yield() }
            cut.continuation.finish()
            throw HTTPCallFailure(
                code: "cancelled.transport", detail: "stopped", phase: .wait, delivery: .sentUnknown)
        }
        let id = try await bench.submit(#"{"type": "network", "request": "https://a.example/"}"#)
        try await settle(while: bench.transport.calls.isEmpty)
        await bench.runner.drain(within: .milliseconds(1))
        #expect(try bench.store.makeReader().job(id)?.state == .queued)
        var wasCut = false
        for await _ in cut.stream { wasCut = true }
        #expect(wasCut)
    }

    @Test func `stores the pause of an origin that was learned a moment before`() async throws {
        let bench = try await Bench(time: ManualClock()) { _, _ in
            .json(503, "{}", fields: [("Retry-After", "600")])
        }
        let id = try await bench.submit(
            #"{"type": "network", "request": "https://a.example/", "retry": {"max_attempts": 1}}"#)
        _ = try await bench.finished(id)
        await bench.runner.drain(within: .seconds(1))
        #expect(try bench.store.makeReader().closings().map(\.origin) == ["https://a.example"])
    }
}
