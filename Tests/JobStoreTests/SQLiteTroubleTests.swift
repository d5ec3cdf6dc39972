import FaultyDisk
import Foundation
import JobKit
import JobStore
import SQLiteStore
import Synchronization
import Testing

/// The conditions that a store reported.
private final class Conditions: Sendable {
    private let list = Mutex<[StoreCondition]>([])
    var all: [StoreCondition] { list.withLock { $0 } }
    func add(_ condition: StoreCondition) { list.withLock { $0.append(condition) } }
}

@Suite(.serialized) struct `A disk that fails` {
    /// A store on a disk that fails on request, with its reported conditions.
    private func withStore(
        checkpointBytes: Int = 400 << 20, in directory: String,
        _ body: (any JobStore, Conditions) async throws -> Void
    ) async throws {
        #expect(faulty_register() == 0)
        unsafe faulty_fail(directory, FAULTY_WRITE, FAULTY_MAIN, FAULTY_NOT)
        defer { faulty_heal() }
        var options = SQLiteOptions()
        options.fileAccess = "faulty"
        options.retryMilliseconds = 5
        options.checkpointBytes = checkpointBytes
        let conditions = Conditions()
        try await withSQLite(directory, options: options) { store in
            store.observeCondition { conditions.add($0) }
            try await body(store, conditions)
            faulty_heal()
        }
    }

    /// Submits until the store accepts the job; returns the job and the number of refusals.
    private func persist(_ store: any JobStore) async throws -> (job: JobID, refusals: Int) {
        for refusals in 0..<5_000 {
            let job = NewJob.sample()
            if await refusal({ try await store.submit(job) }) == nil { return (job.record.id, refusals) }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw Unexpected("the store did not recover")
    }

    @Test(arguments: [FAULTY_WRITE, FAULTY_SYNC])
    func `acknowledges nothing while the log cannot be written, and goes on afterwards`(
        operation: faulty_operation
    ) async throws {
        try await withDirectory { directory in
            var kept: [JobID] = []
            try await withStore(in: directory) { store, conditions in
                kept.append(try await store.add(.sample()).id)
                let reader = try store.makeReader()
                unsafe faulty_fail(directory, operation, FAULTY_LOG, FAULTY_IO_SYNC)
                for _ in 0..<20 {
                    let lost = NewJob.sample()
                    #expect(await refusal { try await store.submit(lost) } == .unavailable)
                    #expect(try reader.job(lost.record.id) == nil)
                }
                #expect(try reader.job(kept[0]) != nil)
                guard case .failing(let detail) = store.condition else {
                    throw Unexpected("\(store.condition)")
                }
                #expect(detail.contains(directory))
                faulty_heal()
                kept.append(try await persist(store).job)
                #expect(store.condition == .sound)
                #expect(conditions.all == [.failing(detail), .sound])
            }
            try await withSQLite(directory) { store in
                let reader = try store.makeReader()
                #expect(try kept.allSatisfy { try reader.job($0) != nil })
                #expect(store.counts() == [.queued: kept.count])
            }
        }
    }

    @Test func `without space refuses writes until there is some, and logs it once`() async throws {
        try await withDirectory { directory in
            try await withStore(in: directory) { store, conditions in
                try await store.add(.sample())
                unsafe faulty_fail(directory, FAULTY_WRITE, FAULTY_LOG, FAULTY_FULL)
                for _ in 0..<20 {
                    #expect(await refusal { try await store.submit(.sample()) } == .diskFull)
                }
                #expect(await refusal { try await store.checkHealth() } == .diskFull)
                faulty_heal()
                _ = try await persist(store)
                #expect(conditions.all.count == 2)
                #expect(store.counts() == [.queued: 2])
            }
        }
    }

    @Test func `loses nothing when moving the log into the database fails`() async throws {
        try await withDirectory { directory in
            var kept: [JobID] = []
            try await withStore(checkpointBytes: 80 << 10, in: directory) { store, conditions in
                let reader = try store.makeReader()
                unsafe faulty_fail(directory, FAULTY_SYNC, FAULTY_MAIN, FAULTY_IO_SYNC)
                while store.condition == .sound {
                    let job = NewJob.sample()
                    if await refusal({ try await store.submit(job) }) == nil { kept.append(job.record.id) }
                }
                faulty_heal()
                kept.append(try await persist(store).job)
                #expect(conditions.all.last == .sound)
                #expect(try kept.allSatisfy { try reader.job($0) != nil })
                for _ in 0..<100 { kept.append(try await store.add(.sample()).id) }
                #expect(faulty_count(FAULTY_SYNC, FAULTY_MAIN) > 1)
            }
            try await withSQLite(directory) { store in
                #expect(store.counts() == [.queued: kept.count])
            }
        }
    }

    @Test func `is written by one connection only`() async throws {
        try await withDirectory { directory in
            try await withStore(in: directory) { store, _ in
                for _ in 0..<200 { try await store.add(.sample()) }
                let before = faulty_count(FAULTY_WRITE, FAULTY_MAIN)
                for _ in 0..<5 {
                    let reader = try store.makeReader()
                    #expect(try reader.list(JobListQuery()).jobs.count > 0)
                }
                #expect(faulty_count(FAULTY_WRITE, FAULTY_MAIN) == before)
            }
            // The writer checkpointed at its end; a remaining reader has nothing to move.
            #expect(faulty_count(FAULTY_WRITE, FAULTY_MAIN) > 0)
        }
    }
}
