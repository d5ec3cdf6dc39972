import JobKit
import JobStore
import Testing

extension JobStore {
    @discardableResult
    fileprivate func create(_ bulk: BulkRecord, of ids: [JobID]) async throws -> BulkRecord {
        try await perform(BulkCreation(bulk, of: ids))
    }

    @discardableResult
    fileprivate func advance(_ step: BulkStep) async throws -> BulkReceipt {
        try await perform(step)
    }

    @discardableResult
    fileprivate func stopBulk(_ id: BulkID) async throws -> BulkRecord {
        try await perform(BulkStop(id, by: "bob", at: .noon(9)))
    }

    fileprivate func removeBulks(before time: Timestamp, limit: Int = 100) async throws -> Int {
        try await perform(RowSweep(.bulks, before: time, limit: limit))
    }
}

private func bulk(_ total: Int, at time: Timestamp = .noon) -> BulkRecord {
    BulkRecord(
        id: BulkID(bits: .made(at: time)), body: Array("{}".utf8), perSecond: 7, createdAt: time,
        createdBy: "ada", total: total)
}

extension BulkStep {
    fileprivate init(
        id: BulkID, place: Int, count: Int, at: Timestamp,
        decide: @escaping @Sendable (JobRecord) -> Verdict
    ) {
        self.init(id: id, place: place, count: count, at: at, code: Self.code, decide: decide)
    }

    private static func code(_ error: JobStoreError) -> String {
        switch error.code {
        case .missing: "gone"
        case .wrongState: "over"
        case .queueFull: "full"
        default: "other"
        }
    }
}

private func cancel(_ job: JobRecord) -> BulkStep.Verdict {
    .cancel(
        CancelRequest(
            id: job.id, at: .noon(1),
            journal: JournalEntry(
                at: .noon(1), path: [], event: .cancelRequested(by: "ada", reason: nil)),
            ending: .cancelledByAda))
}

@Suite struct `A bulk action` {
    @Test(arguments: Engine.allCases) func `changes each job together with its result`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let done = try await store.add(.sample("done"))
            try await store.cancel(done.id)
            let running = try await store.add(.sample("running", priority: 9))
            let claim = try await store.claimOne()
            #expect(claim.record.id == running.id)
            let waiting = try await store.add(.sample("waiting"))
            let gone = JobID.made(at: .noon)
            let ids = [done.id, running.id, gone, waiting.id]
            let stored = try await store.create(bulk(4), of: ids)
            let first = try await store.advance(
                BulkStep(id: stored.id, place: 0, count: 3, at: .noon(1), decide: cancel))
            #expect(first.results.map(\.job) == Array(ids.prefix(3)))
            #expect(first.results.map(\.outcome) == [.skipped, .done, .skipped])
            #expect(first.results.map(\.code) == ["over", nil, "gone"])
            #expect(first.requests.map(\.id) == [running.id])
            #expect(first.record.state == .running)
            let reader = try store.makeReader()
            #expect(try reader.bulk(stored.id) == first.record)
            #expect(try reader.runningBulks(limit: 10).map(\.id) == [stored.id])
            #expect(try reader.job(waiting.id)?.state == .queued)
            let second = try await store.advance(
                BulkStep(id: stored.id, place: 3, count: 3, at: .noon(2), decide: cancel))
            #expect(second.record.state == .completed)
            #expect(second.record.finishedAt == .noon(2))
            #expect((second.record.done, second.record.skipped, second.record.failed) == (2, 2, 0))
            #expect(try reader.results(of: stored.id, from: 0, limit: 10) == first.results + second.results)
            #expect(try reader.results(of: stored.id, from: 3, limit: 10) == second.results)
            #expect(try reader.job(waiting.id)?.state == .cancelled)
            #expect(try reader.job(running.id)?.state == .cancelling)
            #expect(try reader.runningBulks(limit: 10).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `settles no job twice`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let job = try await store.add(.sample())
            let other = try await store.add(.sample())
            let stored = try await store.create(bulk(2), of: [job.id, other.id])
            let step = BulkStep(id: stored.id, place: 0, count: 1, at: .noon, decide: cancel)
            try await store.advance(step)
            #expect(await refusal { try await store.advance(step) } == .moved(.bulk))
            let stopped = try await store.stopBulk(stored.id)
            #expect(stopped.state == .cancelled)
            #expect(stopped.stoppedBy == "bob")
            let next = BulkStep(id: stored.id, place: 1, count: 1, at: .noon, decide: cancel)
            #expect(await refusal { try await store.advance(next) } == .moved(.bulk))
            #expect(try await store.stopBulk(stored.id) == stopped)
            #expect(try store.makeReader().job(other.id)?.state == .queued)
            #expect(await refusal { try await store.stopBulk(bulk(1).id) } == .missing(.bulk))
            let unknown = BulkStep(id: bulk(1).id, place: 0, count: 1, at: .noon, decide: cancel)
            #expect(await refusal { try await store.advance(unknown) } == .missing(.bulk))
        }
    }

    @Test(arguments: Engine.allCases) func `stores new jobs together with the results`(_ engine: Engine)
        async throws
    {
        var limits = StoreLimits()
        limits.unfinishedJobsMax = 2
        try await engine.withStore(limits: limits) { store in
            var ids: [JobID] = []
            for name in ["one", "two", "three"] {
                ids.append(try await store.add(.sample(name)).id)
                try await store.cancel(ids[ids.count - 1])
            }
            let stored = try await store.create(bulk(3), of: ids)
            let receipt = try await store.advance(
                BulkStep(id: stored.id, place: 0, count: 3, at: .noon) {
                    .submit(.sample("\($0.name) again"))
                })
            #expect(receipt.results.map(\.outcome) == [.done, .done, .failed])
            #expect(receipt.results.last?.code == "full")
            let reader = try store.makeReader()
            let made = try receipt.results.compactMap(\.made).map { try reader.job($0)?.name }
            #expect(made == ["one again", "two again"])
            #expect(try reader.job(ids[0])?.state == .cancelled)
            #expect(try reader.results(of: stored.id, from: 0, limit: 10) == receipt.results)
        }
    }

    @Test(arguments: Engine.allCases) func `reads and stores specs of a mebibyte in one step at most`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let spec = "{\"type\":\"value\",\"value\":\"\(String(repeating: "a", count: 600_000))\"}"
            var ids: [JobID] = []
            for name in ["one", "two", "three"] {
                ids.append(try await store.add(.sample(name, spec: spec)).id)
            }
            let stored = try await store.create(bulk(3), of: ids)
            func step(_ place: Int) async throws -> BulkReceipt {
                try await store.advance(
                    BulkStep(id: stored.id, place: place, count: 3, at: .noon) { _ in
                        .reading { .skip(code: "some.code", detail: "\($0?.count ?? 0)") }
                    })
            }
            let first = try await step(0)
            #expect(first.results.map(\.detail) == ["\(spec.utf8.count)", "\(spec.utf8.count)"])
            #expect(first.record.state == .running)
            let second = try await step(2)
            #expect(second.results.map(\.job) == [ids[2]])
            #expect(second.record.state == .completed)
        }
    }

    @Test(arguments: Engine.allCases) func `retries, holds, releases, erases and skips`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let names = ["retry", "hold", "release", "erase", "skip", "unready"]
            var ids: [JobID] = []
            for name in names {
                ids.append(try await store.add(.sample(name, spec: "{\"n\":\"\(name)\"}")).id)
            }
            for id in [ids[0], ids[3]] { try await store.cancel(id) }
            let message = JobMessage(by: "ada", content: .hold(reason: nil))
            let entry = JournalEntry(at: .noon, path: [], event: .message(message))
            let stored = try await store.create(bulk(6), of: ids)
            let receipt = try await store.advance(
                BulkStep(id: stored.id, place: 0, count: 10, at: .noon(1)) { job in
                    switch job.name {
                    case "retry": .retry(JournalEntry(at: .noon(1), path: [], event: .retried(by: "ada")))
                    case "hold": .post(JobPost(id: job.id, journal: entry, effect: .hold))
                    case "release":
                        .reading { spec in
                            .skip(code: "spec", detail: String(decoding: spec ?? [], as: UTF8.self))
                        }
                    case "skip": .skip(code: "some.code", detail: "Some words.")
                    default: .erase
                    }
                })
            #expect(receipt.results.map(\.outcome) == [.done, .done, .skipped, .done, .skipped, .skipped])
            #expect(receipt.results[2].detail == "{\"n\":\"release\"}")
            #expect(
                receipt.results[4] == BulkResult(ids[4], .skipped, code: "some.code", detail: "Some words."))
            let reader = try store.makeReader()
            #expect(
                try ids.map { try reader.job($0)?.state } == [
                    .queued, .held, .queued, nil, .queued, .queued,
                ])
            #expect(try reader.results(of: stored.id, from: 0, limit: 10) == receipt.results)
        }
    }

    @Test(arguments: Engine.allCases) func `erases large jobs in several steps`(_ engine: Engine) async throws
    {
        // A store may compress what is alike.
        let body = (0..<600_000).map { _ in UInt8.random(in: .min ... .max) }
        let result = OperationResult(status: nil, headers: [], contentType: nil, body: body)
        try await engine.withStore { store in
            var ids: [JobID] = []
            for _ in 0..<3 {
                ids.append(try await store.add(.sample()).id)
                let standing = RunUpdate.Standing(
                    state: .succeeded, attempt: 1, finishedAt: .noon, result: result)
                try await store.update(
                    RunUpdate(claim: try await store.claimOne().key, journal: [], standing: standing))
            }
            let stored = try await store.create(bulk(3), of: ids)
            func erase(from place: Int) async throws -> Int {
                let step = BulkStep(id: stored.id, place: place, count: 16, at: .noon) { _ in .erase }
                return try await store.advance(step).results.count
            }
            #expect(try await erase(from: 0) == 2)
            #expect(try await erase(from: 2) == 1)
            let reader = try store.makeReader()
            #expect(try ids.allSatisfy { try reader.job($0) == nil })
            #expect(try reader.bulk(stored.id)?.state == .completed)
        }
    }

    @Test(arguments: Engine.allCases) func `keeps its place among many ids`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let ids = (0..<9_000).map { JobID.made(at: .noon(Int64($0))) }
            let stored = try await store.create(bulk(ids.count), of: ids)
            var place = 0
            while place < ids.count {
                let receipt = try await store.advance(
                    BulkStep(id: stored.id, place: place, count: 1_500, at: .noon, decide: cancel))
                #expect(!receipt.results.isEmpty)
                place = receipt.record.settled
            }
            let reader = try store.makeReader()
            #expect(try reader.results(of: stored.id, from: 0, limit: 10_000).map(\.job) == ids)
            #expect(try reader.bulk(stored.id)?.state == .completed)
        }
    }

    @Test(arguments: Engine.allCases) func `is listed, limited and removed`(_ engine: Engine) async throws {
        var limits = StoreLimits()
        limits.bulksMax = 2
        try await engine.withStore(limits: limits) { store in
            let job = try await store.add(.sample())
            let empty = try await store.create(bulk(0, at: .noon(1)), of: [])
            #expect(empty.state == .completed)
            let first = try await store.create(bulk(1, at: .noon(2)), of: [job.id])
            let second = try await store.create(bulk(1, at: .noon(3)), of: [job.id])
            #expect(
                await refusal { try await store.create(bulk(1, at: .noon(4)), of: [job.id]) } == .full(.bulk))
            let reader = try store.makeReader()
            #expect(try reader.bulks(before: nil, limit: 2) == [second, first])
            #expect(try reader.bulks(before: first.id, limit: 2) == [empty])
            #expect(try reader.runningBulks(limit: 5) == [first, second])
            try await store.advance(
                BulkStep(id: first.id, place: 0, count: 1, at: .noon(5), decide: cancel))
            var removed = 0
            repeat { removed = try await store.removeBulks(before: .noon(6)) } while removed > 0
            #expect(try reader.bulks(before: nil, limit: 5) == [second])
            #expect(try reader.results(of: first.id, from: 0, limit: 5).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `is removed together with others, as many as rows may go at once`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            var all: [BulkRecord] = []
            for second in 0..<4 {
                let ids = [JobID.made(at: .noon), .made(at: .noon)]
                let made = try await store.create(bulk(2, at: .noon(Int64(second))), of: ids)
                all.append(made)
                try await store.advance(
                    BulkStep(id: made.id, place: 0, count: 2, at: .noon(Int64(second)), decide: cancel))
            }
            let reader = try store.makeReader()
            // The first and the second, and one result of the third.
            #expect(try await store.removeBulks(before: .noon(60), limit: 7) == 7)
            #expect(try reader.bulks(before: nil, limit: 9).map(\.id) == [all[3].id, all[2].id])
            #expect(try reader.results(of: all[2].id, from: 0, limit: 9).count == 1)
            #expect(try await store.removeBulks(before: .noon(3), limit: 100) == 2)
            #expect(try reader.bulks(before: nil, limit: 9).map(\.id) == [all[3].id])
            #expect(try reader.results(of: all[3].id, from: 0, limit: 9).count == 2)
            #expect(try await store.removeBulks(before: .noon(60), limit: 100) == 3)
            #expect(try await store.removeBulks(before: .noon(60), limit: 100) == 0)
        }
    }

    @Test(arguments: Engine.allCases) func `finds the ids of a list`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            var wanted: [JobID] = []
            for number in 0..<7 {
                let job = try await store.add(
                    .sample(queue: number % 2 == 0 ? "mail" : "other", createdAt: .noon(Int64(number))))
                if number % 2 == 0 { wanted.append(job.id) }
            }
            var query = JobListQuery()
            query.queue = "mail"
            query.ascending = true
            query.limit = 2
            let reader = try store.makeReader()
            #expect(try reader.ids(query).ids == wanted)
            query.after = wanted[1]
            #expect(try reader.ids(query).ids == Array(wanted[2...]))
        }
    }
}
