import JobKit
import JobStore
import Testing

@testable import SQLiteStore

@Suite struct `The counts of a store in a file` {
    /// The number of jobs in the stored counts, and up to which number of a job they go.
    private func stored(_ directory: String) throws -> [Int64?] {
        let connection = try SQLiteConnection(
            path: directory + "/jobs.db", mode: .readOnly, fileAccess: "unix-excl")
        return [
            try connection.number("SELECT sum(jobs) FROM tally WHERE state <> \(Tally.boundState)"),
            try connection.number("SELECT jobs FROM tally WHERE state = \(Tally.boundState)"),
        ]
    }

    @Test func `are stored for older jobs, and whole when it is opened again`() async throws {
        try await withDirectory { directory in
            let first = try await withSQLite(directory) { store in
                let first = try await store.add(.sample())
                for _ in 0..<2 { try await store.add(.sample()) }
                #expect(store.counts() == [.queued: 3])
                return first
            }
            #expect(try stored(directory) == [1, 1])
            try await withSQLite(directory) { store in
                #expect(store.counts() == [.queued: 3])
                _ = try await store.cancel(first.id)
                try await store.add(.sample())
            }
            #expect(try stored(directory) == [3, 3])
            try await withSQLite(directory) { store in
                #expect(store.counts() == [.queued: 3, .cancelled: 1])
            }
        }
    }

    @Test func `are written once for a thousand young jobs, and for each change of an older one`() {
        var tally = Tally()
        func commit() -> [Int64] {
            tally.age()
            defer { tally.forgetChanges() }
            return tally.toStore.filter { $0.jobs != 0 }.map(\.jobs)
        }
        var commits: [Int64: [Int64]] = [:]
        for number in Int64(1)...1_001 {
            tally.nextNumber = number + 1
            tally.add(.queued, 1, of: number)
            let rows = commit()
            if !rows.isEmpty { commits[number] = rows }
        }
        #expect(commits == [1: [1, 1], 1_001: [1_001, 1_001]])
        tally.move(.queued, to: .running, of: 1_002)
        #expect(commit() == [])
        tally.move(.queued, to: .running, of: 1)
        #expect(commit().sorted() == [1, 1_000])
        #expect(tally.unfinished == 1_001)
    }
}
