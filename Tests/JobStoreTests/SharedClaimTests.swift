import JobKit
import JobStore
import ScratchPostgres
import Synchronization
import Testing

@testable import PostgresStore

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `A claim of one server` {
    @Test func `has the runner ask again while another server has locked what is ready`() async throws {
        try await Servers.run(1) { servers in
            let store = servers[0]
            let dates = Mutex<[Timestamp]>([])
            store.observeOpenings { date in dates.withLock { $0.append(date) } }
            #expect(try await store.claim().isEmpty)
            try await store.add(.sample())
            let other = try servers.connection()
            try other.run("BEGIN")
            #expect(try other.run("SELECT 1 FROM \(servers.schema).ticket FOR UPDATE").count == 1)
            #expect(dates.withLock { $0 } == [])
            #expect(try await store.claim().isEmpty)
            #expect(dates.withLock { $0 } == [Timestamp.noon.advanced(by: .milliseconds(10))])
            try other.run("COMMIT")
            #expect(try await store.claim().count == 1)
            #expect(try await store.claim().isEmpty)
            #expect(dates.withLock { $0.count } == 1)
        }
    }
}
