import FaultyDisk
import JobKit
import JobSpec
import JobStore
import SQLiteStore
import StrictJSON
import Synchronization
import Testing

/// A runner that moves each job that is handed over to it to a state, or leaves it running.
private final class Runner: Sendable {
    let slots = RunSlots(8)
    private let state: JobState?
    private let log = Mutex<(claims: [Claim], wereStored: [Bool], refusals: [JobStoreError?])>(([], [], []))

    init(_ state: JobState?) { self.state = state }

    var claims: [Claim] { log.withLock { $0.claims } }
    /// Whether each job was in the store as it was handed over.
    var wereStored: [Bool] { log.withLock { $0.wereStored } }
    /// The answers to the ends.
    var refusals: [JobStoreError?] { log.withLock { $0.refusals } }

    func begin(_ store: any JobStore) throws {
        let reader = try store.makeReader()
        store.takeArrivals(
            JobArrivals(owner: "server", room: slots, now: { .noon(1) }) { [self] claims in
                for claim in claims { run(claim, store, reader) }
            })
    }

    private func run(_ claim: Claim, _ store: any JobStore, _ reader: any JobReader) {
        let isStored = (try? reader.job(claim.record.id)) != nil
        log.withLock { log in
            log.claims.append(claim)
            log.wereStored.append(isStored)
        }
        if let state { end(claim, in: state, store) }
    }

    func end(_ claim: Claim, in state: JobState, _ store: any JobStore) {
        let errors = state == .failed ? [AOperationError("test.sample", detail: "It broke.")] : []
        var standing = RunUpdate.Standing(
            state: state, attempt: 1, detail: StoredDetail(JobDetail(errors: errors)))
        if state.isFinal { standing.finishedAt = .noon(2) } else { standing.dueAt = .noon(5) }
        standing.result = state == .succeeded ? OperationResult(json: .number(JSONNumber(7))) : nil
        store.update(
            RunUpdate(
                claim: claim.key,
                journal: [JournalEntry(at: .noon(2), path: [], event: .started)], standing: standing)
        ) { [self] reply in
            slots.giveBack(of: claim.record.tenant)
            var refusal: JobStoreError?
            if case .failure(let error) = reply { refusal = error }
            log.withLock { $0.refusals.append(refusal) }
        }
    }
}

extension NewJob {
    fileprivate static func first(_ id: JobID? = nil) -> NewJob {
        var job = NewJob.sample(id: id, labels: [.init(key: "team", value: "red")])
        job.mayRunFirst = true
        return job
    }
}

@Suite struct `Jobs that may run first` {
    @Test(arguments: Engine.allCases) func `are stored as they ended, with all that a job has`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.renew("server", lease: .seconds(600))
            let runner = Runner(.succeeded)
            try runner.begin(store)
            let new = NewJob.first()
            let record = try await store.add(new)
            #expect(record.state == .queued)
            #expect(try await eventually { runner.refusals.count == 1 })
            #expect(runner.refusals == [nil])
            let reader = try store.makeReader()
            let job = try #require(try reader.job(record.id))
            #expect(job.state == .succeeded)
            #expect(job.revision == 3)
            #expect(job.labels.map(\.value) == ["red"])
            #expect(try reader.spec(record.id) == new.spec)
            #expect(try reader.result(record.id)?.body == Array("7".utf8))
            #expect(try reader.journal(record.id, after: 0, limit: 9).map(\.sequence) == [1])
            #expect(store.counts() == [.succeeded: 1])
            #expect(try await store.claim(now: .noon(3)).isEmpty)
            let next = try await store.add(.first())
            #expect(try await eventually { runner.refusals.count == 2 })
            #expect(try reader.job(next.id)?.state == .succeeded)
            #expect(store.counts() == [.succeeded: 2])
        }
    }

    @Test func `are handed over before they are stored, and written once, with their end`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory) { store in
                try await store.renew("server", lease: .seconds(600))
                let changes = Mutex<[JobChange]>([])
                store.observeCommits { change in changes.withLock { $0 += change } }
                let runner = Runner(.succeeded)
                try runner.begin(store)
                let record = try await store.add(.first())
                #expect(try await eventually { runner.refusals.count == 1 })
                #expect(runner.wereStored == [false])
                #expect(changes.withLock { $0.map(\.state) } == [.succeeded])
                #expect(changes.withLock { $0.map(\.id) } == [record.id])
            }
        }
    }

    @Test(arguments: Engine.allCases) func `are found by the error that they ended with`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.renew("server", lease: .seconds(600))
            let runner = Runner(.failed)
            try runner.begin(store)
            let record = try await store.add(.first())
            #expect(try await eventually { runner.refusals.count == 1 })
            let reader = try store.makeReader()
            var query = JobListQuery()
            query.errorCode = "test.sample"
            #expect(try reader.list(query).jobs.map(\.id) == [record.id])
        }
    }

    @Test(arguments: Engine.allCases) func `are stored while a longer run lasts`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.renew("server", lease: .seconds(600))
            let runner = Runner(nil)
            try runner.begin(store)
            let record = try await store.add(.first())
            let reader = try store.makeReader()
            #expect(try reader.job(record.id)?.state == .running)
            #expect(store.counts() == [.running: 1])
            let claim = try #require(runner.claims.first)
            runner.end(claim, in: .succeeded, store)
            #expect(try await eventually { runner.refusals.count == 1 })
            #expect(runner.refusals == [nil])
            #expect(try reader.job(record.id)?.state == .succeeded)
        }
    }

    @Test func `are stored with other writes that come meanwhile, each once`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory) { store in
                try await store.renew("server", lease: .seconds(600))
                let runner = Runner(nil)
                try runner.begin(store)
                let jobs = (0..<20).map { $0 % 3 == 2 ? NewJob.sample() : NewJob.first() }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for job in jobs { group.addTask { _ = try await store.add(job) } }
                    try await group.waitForAll()
                }
                let reader = try store.makeReader()
                for job in jobs { #expect(try reader.job(job.record.id)?.id == job.record.id) }
                #expect(Set(runner.claims.map(\.record.id)).count == runner.claims.count)
                for claim in runner.claims { runner.end(claim, in: .succeeded, store) }
                #expect(try await eventually { runner.refusals.count == runner.claims.count })
                #expect(runner.refusals.allSatisfy { $0 == nil })
                #expect(store.counts()[.succeeded] == runner.claims.count)
            }
        }
    }

    @Test(arguments: Engine.allCases) func `are claimed again when their runs ask for another attempt`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.renew("server", lease: .seconds(600))
            let runner = Runner(.retrying)
            try runner.begin(store)
            let jobs = (0..<3).map { _ in NewJob.first() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for job in jobs { group.addTask { _ = try await store.add(job) } }
                try await group.waitForAll()
            }
            #expect(try await eventually { runner.refusals.count == 3 })
            #expect(runner.refusals.allSatisfy { $0 == nil })
            let reader = try store.makeReader()
            for job in jobs {
                let found = try #require(try reader.job(job.record.id))
                #expect(found.state == .retrying)
                #expect(found.attempt == 1)
                #expect(found.dueAt == .noon(5))
            }
            #expect(store.counts() == [.retrying: 3])
            #expect(try await store.claim(now: .noon(4)).isEmpty)
            store.takeArrivals(nil)
            let again = try await store.claim(now: .noon(5))
            #expect(Set(again.map(\.record.id)) == Set(jobs.map(\.record.id)))
        }
    }

    @Test func `are run once when another write fails their transaction`() async throws {
        try await withDirectory { directory in
            var options = SQLiteOptions()
            options.pagesMax = 180
            try await withSQLite(directory, options: options) { store in
                try await store.renew("server", lease: .seconds(600))
                let runner = Runner(nil)
                try runner.begin(store)
                for _ in 0..<2 {
                    let before = runner.claims.count
                    let jobs = [NewJob.first(), .first()]
                    var large = NewJob.sample()
                    large.spec = [UInt8](repeating: 1, count: 1 << 20)
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for (place, job) in jobs.enumerated() {
                            group.addTask { _ = try await store.add(job) }
                            #expect(try await eventually { runner.claims.count == before + place + 1 })
                        }
                        #expect(await refusal { try await store.submit(large) } == .diskFull)
                        try await group.waitForAll()
                    }
                    #expect(runner.claims.dropFirst(before).map(\.record.id) == jobs.map(\.record.id))
                }
                for claim in runner.claims { runner.end(claim, in: .succeeded, store) }
                #expect(try await eventually { runner.refusals.count == 4 })
                #expect(runner.refusals.allSatisfy { $0 == nil })
                #expect(store.counts() == [.succeeded: 4])
                #expect(runner.slots.take(9) == 8)
            }
        }
    }

    @Test func `are refused with the id of another, and their run writes nothing`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory) { store in
                try await store.renew("server", lease: .seconds(600))
                let known = try await store.add(.sample())
                let claim = try await store.claimOne(now: .noon(1))
                try await store.move(claim, to: .succeeded, at: .noon(1))
                let runner = Runner(.failed)
                try runner.begin(store)
                #expect(await refusal { try await store.submit(.first(known.id)) } == .duplicateID)
                #expect(try await eventually { runner.refusals.count == 1 })
                #expect(runner.refusals.first??.code == .staleClaim)
                #expect(try store.makeReader().job(known.id)?.state == .succeeded)
                #expect(runner.slots.take(9) == 8)
            }
        }
    }
}

extension `A disk that fails` {
    @Test func `loses a job that ran first with its run, and says so to both`() async throws {
        try await withDirectory { directory in
            #expect(faulty_register() == 0)
            unsafe faulty_fail(directory, FAULTY_WRITE, FAULTY_MAIN, FAULTY_NOT)
            defer { faulty_heal() }
            var options = SQLiteOptions()
            options.fileAccess = "faulty"
            options.retryMilliseconds = 5
            try await withSQLite(directory, options: options) { store in
                try await store.renew("server", lease: .seconds(600))
                let runner = Runner(.succeeded)
                try runner.begin(store)
                let lost = NewJob.first()
                unsafe faulty_fail(directory, FAULTY_SYNC, FAULTY_LOG, FAULTY_IO_SYNC)
                #expect(await refusal { try await store.submit(lost) } == .unavailable)
                #expect(try await eventually { runner.refusals.count == 1 })
                #expect(runner.refusals.first??.isRetryable == true)
                faulty_heal()
                #expect(try store.makeReader().job(lost.record.id) == nil)
                #expect(store.counts() == [:])
            }
        }
    }
}
