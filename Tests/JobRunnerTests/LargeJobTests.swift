import HTTPMessage
import JobKit
@testable import JobRunner
import JobStore
import Synchronization
import Testing

@Suite struct `Large jobs that fall due together` {
    @Test(.timeLimit(.minutes(1))) func `run together, although one claim does not take all of them`()
        async throws
    {
        let begun = Mutex(0)
        let bench = try await Bench(time: ManualClock()) { _, _ in
            begun.withLock { $0 += 1 }
            while begun.withLock({ $0 < 3 }) { await Task.yield() }
            return .json(200, "{}")
        }
        let text = String(repeating: "x", count: 600_000)
        let request = #"{"method": "POST", "url": "https://upstream.example/", "text": "\#(text)"}"#
        var ids: [JobID] = []
        for _ in 0..<3 {
            ids.append(
                try await bench.submit(#"{"type": "network", "run_at": "10s", "request": \#(request)}"#))
        }
        await bench.letPass(.seconds(10))
        for id in ids { #expect(try await bench.finished(id).state == .succeeded) }
    }
}
