import JobJournal
import JobKit
import JobSpec
@testable import JobStore
import MemoryStore
import StrictJSON
import Synchronization
import Testing

@testable import JobRunner

@Suite struct `The waits of a custom kind` {
    private func bench(
        _ kind: OperationKind, store: any JobStore = MemoryJobStore(), time: ManualClock? = nil
    ) async throws -> Bench {
        var settings = RunnerSettings()
        settings.kinds = try OperationKinds([kind])
        return try await Bench(store: store, settings: settings, time: time)
    }

    @Test(arguments: [true, false]) func `do not begin its attempt anew`(repeats: Bool) async throws {
        let time = ManualClock()
        let count = Mutex(0)
        let nap = OperationKind("nap", repeatsAfterCrash: repeats) { _ in
            ClosureOperation { context -> Int in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                for _ in 0..<3 { try await context.wait(for: .seconds(2)) }
                return number
            }
        }
        let bench = try await bench(nap, store: MemoryJobStore(clock: time), time: time)
        let id = try await bench.submit(#"{"type": "nap"}"#)
        try await bench.letPass(until: .succeeded, id)
        #expect(try await bench.finished(id).inline() == 1)
        #expect(count.withLock { $0 } == 1)
        #expect(try bench.views(id)[""]?.attempts.map(\.outcome) == [.succeeded])
    }

    @Test func `between its attempts let the job rest`() async throws {
        let time = ManualClock()
        let hoarse = OperationKind("hoarse") { _ in
            ClosureOperation { context -> Int in
                try await context.wait(for: .seconds(2))
                if context.attempt == 1 {
                    throw AOperationError(ErrorCode("voice.hoarse"), detail: "No.", retryable: true)
                }
                return context.attempt
            }
        }
        let bench = try await bench(hoarse, store: MemoryJobStore(clock: time), time: time)
        let id = try await bench.submit(
            #"""
            {"type": "hoarse",
             "retry": {"max_attempts": 2, "backoff": {"type": "fixed", "initial": "1m"}}}
            """#)
        try await bench.letPass(until: .retrying, id)
        try await bench.letPass(until: .succeeded, id)
        #expect(try await bench.finished(id).inline() == 2)
    }

    @Test func `give a further attempt the signals of the one before`() async throws {
        let ask = OperationKind("ask") { _ in
            ClosureOperation { context -> JSONValue in
                let first = try await context.signal("ok") ?? .null
                if context.attempt == 1 {
                    throw AOperationError(ErrorCode("upstream.busy"), detail: "No.", retryable: true)
                }
                return .array([first, try await context.signal("ok") ?? .null])
            }
        }
        let bench = try await bench(ask)
        let id = try await bench.submit(
            #"{"type": "ask", "retry": {"max_attempts": 2, "backoff": {"type": "fixed", "initial": "1ms"}}}"#)
        _ = try await bench.wait(for: id) { $0 == .running }
        try await bench.signal(id, "ok", 1)
        try await bench.signal(id, "ok", 2)
        #expect(try await bench.finished(id).inline() == [1, 2])
    }

    @Test func `take each signal once, in order, and get the same ones again after a restart`() async throws {
        let store = MemoryJobStore()
        let progress = Mutex<[String]>([])
        let two = OperationKind("two") { _ in
            ClosureOperation { context -> JSONValue in
                let first = try await context.signal("ok")
                progress.withLock { $0.append("first") }
                let other = try await context.signal("other")
                progress.withLock { $0.append("other") }
                let last = try await context.signal("ok")
                return .array([first ?? .null, other ?? .null, last ?? .null])
            }
        }
        let one = try await bench(two, store: store)
        let id = try await one.submit(#"{"type": "two"}"#)
        _ = try await one.wait(for: id) { $0 == .running }
        try await one.signal(id, "ok", 1)
        try await one.signal(id, "other", 2)
        try await settle(while: progress.withLock({ $0 }).count < 2)
        // Waits until what was taken is stored.
        let reader = try store.makeReader()
        func taken() throws -> Int {
            try reader.journal(id, after: 0, limit: 100).count { stored in
                if case .took = stored.entry.event { true } else { false }
            }
        }
        try await settle(while: taken() < 2)
        one.kill()
        let next = try await bench(two, store: store)
        try await settle(while: progress.withLock({ $0 }).count < 4)
        #expect(progress.withLock { $0 } == ["first", "other", "first", "other"])
        try await next.signal(id, "ok", 3)
        #expect(try await next.finished(id).inline() == [1, 2, 3])
    }
}
