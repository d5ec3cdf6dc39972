import JobKit
@testable import JobRunner
import JobSpec
@testable import JobStore
import PostgresStore
import ScratchPostgres
import StrictJSON
import Synchronization
import Testing

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `A job of a kind that one server of two lacks` {
    /// A server that runs one job at a time.
    private func bench(_ name: String, _ schema: String, _ kinds: [OperationKind]) async throws -> Bench {
        let address = try #require(PostgresServer.shared).address
        var settings = RunnerSettings()
        settings.limits.concurrency = 1
        settings.chance = { 0 }
        settings.kinds = try OperationKinds(kinds)
        settings.server = ServerRecord(id: .new(), host: name, version: "1", startedAt: SystemClock().now)
        return try await Bench(store: try PostgresDatabase.open(address, schema: schema), settings: settings)
    }

    @Test func `is left to the other one, and runs there`() async throws {
        let isOpen = Mutex(false)
        let gate = OperationKind("wait-at-gate", members: []) { _ in
            ClosureOperation { _ in
                while !isOpen.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
                return .null
            }
        }
        let greet = OperationKind("greet", members: []) { _ in ClosureOperation { _ in "hello" } }
        let schema = PostgresServer.freshSchema()
        let able = try await bench("able", schema, [gate, greet])
        // It is busy, so that the other one claims the job.
        let first = try await able.submit(#"{"type": "wait-at-gate"}"#)
        _ = try await able.wait(for: first) { $0 == .running }
        let unable = try await bench("unable", schema, [])
        let id = try await able.submit(#"{"type": "greet"}"#)
        _ = try await unable.wait(for: id) { $0 == .scheduled }
        #expect(try able.store.makeReader().job(id)?.error == nil)
        isOpen.withLock { $0 = true }
        let record = try await able.finished(id)
        #expect(record.state == .succeeded)
        #expect(try record.inline() == "hello")
        #expect(record.attempt == 1)
        for bench in [unable, able] {
            await bench.runner.drain(within: .seconds(5))
            bench.kill()
            await bench.store.close()
        }
    }

    @Test func `fails on a server that is alone`() async throws {
        let schema = PostgresServer.freshSchema()
        let greet = OperationKind("greet", members: []) { _ in ClosureOperation { _ in "hello" } }
        let able = try await bench("able", schema, [greet])
        await able.runner.drain(within: .seconds(5))
        let id = try await able.submit(#"{"type": "greet"}"#)
        able.kill()
        await able.store.close()
        let unable = try await bench("unable", schema, [])
        let record = try await unable.finished(id)
        #expect(record.state == .failed)
        #expect(record.error?.detail.contains("greet") == true, "\(String(describing: record.error))")
        await unable.runner.drain(within: .seconds(5))
        unable.kill()
        await unable.store.close()
    }
}
