import JobKit
import JobStore
import Testing

extension ScheduleRecord {
    fileprivate static func sample(_ name: String = "nightly", wakeAt: Timestamp? = .noon) -> ScheduleRecord {
        var progress = ScheduleProgress()
        (progress.next, progress.wakeAt) = (wakeAt, wakeAt)
        return ScheduleRecord(
            name: name, version: 1, body: Array("{}".utf8), updatedAt: .noon, updatedBy: "ada",
            progress: progress)
    }
}

extension JobStore {
    @discardableResult
    fileprivate func store(_ change: ScheduleChange) async throws -> ScheduleReceipt {
        try await perform(change)
    }

    fileprivate func removeSchedule(_ name: String, revision: Int64) async throws {
        try await perform(ScheduleRemoval(name, revision: revision))
    }

    /// The occurrences of a schedule, the earliest first.
    fileprivate func occurrences(of name: String = "nightly") throws -> [Occurrence] {
        var query = OccurrenceQuery(limit: 100)
        query.isLatestFirst = false
        return try makeReader().occurrences(of: name, query)
    }
}

/// A planned time with a job.
private func planned(_ seconds: Int64, _ job: NewJob = .sample()) -> ScheduleChange.Planned {
    .init(
        Occurrence(scheduledFor: .noon(seconds), outcome: .job(job.record.id), decidedAt: .noon(seconds)),
        job: job)
}

/// A planned time of a backfill with a job.
private func filled(_ seconds: Int64, _ job: NewJob) -> ScheduleChange.Planned {
    var time = planned(seconds, job)
    time.occurrence.origin = .backfill
    time.replaces = true
    return time
}

/// A planned time without a job.
private func skipped(_ seconds: Int64, _ reason: Occurrence.Reason, _ detail: String? = nil)
    -> ScheduleChange.Planned
{
    .init(
        Occurrence(
            scheduledFor: .noon(seconds), outcome: .skipped(reason, detail: detail), decidedAt: .noon(seconds)
        ))
}

@Suite struct `A stored schedule` {
    @Test(arguments: Engine.allCases) func `is changed from a known revision only`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            var record = ScheduleRecord.sample()
            #expect(try await store.store(ScheduleChange(of: nil, to: record)).record.revision == 1)
            #expect(
                await refusal { try await store.store(ScheduleChange(of: nil, to: record)) }
                    == .moved(.schedule)
            )
            record.version = 2
            record.progress.runs = 7
            #expect(try await store.store(ScheduleChange(of: 1, to: record)).record.revision == 2)
            #expect(
                await refusal { try await store.store(ScheduleChange(of: 1, to: record)) }
                    == .moved(.schedule))
            let stored = try #require(try store.makeReader().schedule("nightly"))
            record.revision = 2
            #expect(stored == record)
            #expect(
                await refusal { try await store.removeSchedule("nightly", revision: 1) } == .moved(.schedule))
            try await store.removeSchedule("nightly", revision: 2)
            #expect(
                await refusal { try await store.removeSchedule("nightly", revision: 2) }
                    == .missing(.schedule))
            #expect(try store.makeReader().schedule("nightly") == nil)
            #expect(
                await refusal { try await store.store(ScheduleChange(of: 2, to: record)) }
                    == .moved(.schedule))
        }
    }

    @Test(arguments: Engine.allCases)
    func `cancels the jobs that give way only to one that it stores`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let first = try await store.add(.sample("first")).id
            try await store.add(.unique("k", .reject))
            func change(of revision: Int64?, at second: Int64, _ job: NewJob) -> ScheduleChange {
                var record = ScheduleRecord.sample()
                record.progress.open = [first, job.record.id]
                var change = ScheduleChange(of: revision, to: record, planned: [planned(second, job)])
                let event = JournalEntry.Event.cancelRequested(by: "schedule", reason: nil)
                change.replaced = [
                    CancelRequest(
                        id: first, at: .noon, journal: JournalEntry(at: .noon, path: [], event: event))
                ]
                return change
            }
            let refused = try await store.store(change(of: nil, at: 1, .unique("k", .reject)))
            #expect(refused.record.progress.open == [first])
            let reader = try store.makeReader()
            #expect(try reader.job(first)?.state == .queued)
            let next = NewJob.sample("next")
            let made = try await store.store(change(of: 1, at: 2, next))
            #expect(made.record.progress.open == [next.record.id])
            #expect(try reader.job(first)?.state == .cancelled)
            #expect(try reader.job(next.record.id)?.state == .queued)
        }
    }

    @Test(arguments: Engine.allCases) func `stores its planned times together with their jobs`(
        _ engine: Engine
    )
        async throws
    {
        try await engine.withStore { store in
            let job = NewJob.sample("report")
            let record = ScheduleRecord.sample()
            try await store.store(ScheduleChange(of: nil, to: record))
            let receipt = try await store.store(
                ScheduleChange(
                    of: 1, to: record,
                    planned: [skipped(0, .missed, "late"), planned(60, job), skipped(120, .paused)]))
            #expect(try store.occurrences() == receipt.occurrences)
            #expect(receipt.occurrences.map(\.job) == [nil, job.record.id, nil])
            #expect(receipt.occurrences[0].outcome == .skipped(.missed, detail: "late"))
            #expect(try await store.claimOne().record.id == job.record.id)
            var query = OccurrenceQuery(limit: 2)
            query.to = .noon(60)
            #expect(
                try store.makeReader().occurrences(of: "nightly", query).map(\.scheduledFor) == [
                    .noon(60), .noon(0),
                ])
        }
    }

    @Test(arguments: Engine.allCases) func `settles each planned time once`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let record = ScheduleRecord.sample()
            try await store.store(
                ScheduleChange(of: nil, to: record, planned: [planned(0), skipped(60, .overlap)]))
            for again in [planned(0), planned(60), skipped(60, .missed)] {
                let change = ScheduleChange(of: 1, to: record, planned: [planned(120), again])
                #expect(await refusal { try await store.store(change) } == .occurrenceTaken)
            }
            #expect(store.counts() == [.queued: 1])
            #expect(try store.makeReader().schedule("nightly")?.revision == 1)
            var replacing = planned(60)
            replacing.replaces = true
            try await store.store(ScheduleChange(of: 1, to: record, planned: [replacing]))
            #expect(store.counts() == [.queued: 2])
            #expect(try store.occurrences().map(\.job).count == 2)
            #expect(try store.occurrences().last?.job == replacing.job?.record.id)
        }
    }

    @Test(arguments: Engine.allCases) func `tells why a job was not stored`(_ engine: Engine) async throws {
        var limits = StoreLimits()
        limits.unfinishedJobsMax = 1
        try await engine.withStore(limits: limits) { store in
            var record = ScheduleRecord.sample()
            let (first, second) = (NewJob.sample(), NewJob.sample())
            record.progress.open = [first.record.id, second.record.id]
            record.progress.runs = 2
            let receipt = try await store.store(
                ScheduleChange(of: nil, to: record, planned: [planned(0, first), planned(60, second)]))
            #expect(receipt.record.progress.open == [first.record.id])
            #expect(receipt.record.progress.runs == 1)
            guard case .skipped(.limit, let detail) = receipt.occurrences[1].outcome else {
                Issue.record("\(receipt.occurrences)")
                return
            }
            #expect(detail?.isEmpty == false)
            #expect(try store.occurrences() == receipt.occurrences)
        }
    }

    @Test(arguments: Engine.allCases)
    func `is over when so many jobs were stored, and not when one was refused`(_ engine: Engine)
        async throws
    {
        var limits = StoreLimits()
        limits.unfinishedJobsMax = 1
        try await engine.withStore(limits: limits) { store in
            var record = ScheduleRecord.sample(wakeAt: .noon(120))
            record.progress.runs = 2
            let jobs = [NewJob.sample(), NewJob.sample()]
            var change = ScheduleChange(
                of: nil, to: record, planned: [planned(0, jobs[0]), planned(60, jobs[1])])
            change.runsMax = 2
            let refused = try await store.store(change).record
            #expect(refused.progress.runs == 1)
            #expect(refused.progress.next == .noon(120))
            #expect(refused.progress.wakeAt == .noon(120))
            try await store.cancel(jobs[0].record.id)
            record.progress.next = .noon(180)
            change = ScheduleChange(of: 1, to: record, planned: [planned(120)])
            change.runsMax = 2
            try await store.store(change)
            let over = try #require(try store.makeReader().schedule("nightly")).progress
            #expect(over.runs == 2)
            #expect(over.next == nil)
            #expect(over.wakeAt == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `leaves times of a backfill to later turns while there is no room for their jobs`(
        _ engine: Engine
    ) async throws {
        var limits = StoreLimits()
        limits.unfinishedJobsMax = 3
        try await engine.withStore(limits: limits) { store in
            try await store.configure("mail", #"{"paused":true,"max_waiting":1}"#)
            for (queue, room) in [("mail", 1), ("default", 2)] {
                let jobs = (0..<3).map { _ in NewJob.sample(queue: queue) }
                var record = ScheduleRecord.sample(queue)
                try await store.store(ScheduleChange(of: nil, to: record, planned: [skipped(120, .missed)]))
                var backfill = ScheduleProgress.Backfill(
                    from: .noon, to: .noon(600), only: .missing, concurrency: 5, startedAt: .noon(600),
                    startedBy: "ada")
                backfill.next = .noon(121)
                backfill.open = jobs.map(\.record.id)
                backfill.made = 3
                record.progress.backfill = backfill
                let times = jobs.enumerated().map { place, job in filled(Int64(place) * 60, job) }
                let receipt = try await store.store(ScheduleChange(of: 1, to: record, planned: times))
                backfill.next = .noon(Int64(room) * 60)
                backfill.open = Array(backfill.open.prefix(room))
                backfill.made = room
                #expect(receipt.record.progress.backfill == backfill)
                #expect(receipt.occurrences.compactMap(\.job) == backfill.open)
                #expect(receipt.occurrences.count == room)
                #expect(try store.makeReader().schedule(queue)?.progress.backfill == backfill)
                let found = try store.occurrences(of: queue)
                #expect(found.compactMap(\.job) == backfill.open)
                #expect(found.last?.outcome == .skipped(.missed, detail: nil))
                #expect(found.count == room + 1)
            }
        }
    }

    @Test(arguments: Engine.allCases) func `is listed by name, and by the time at which it is due`(
        _ engine: Engine
    )
        async throws
    {
        var limits = StoreLimits()
        limits.schedulesMax = 4
        try await engine.withStore(limits: limits) { store in
            for (name, date) in [("c", 20), ("a", 30), ("b", 10)] as [(String, Int64)] {
                try await store.store(ScheduleChange(of: nil, to: .sample(name, wakeAt: .noon(date))))
            }
            try await store.store(ScheduleChange(of: nil, to: .sample("d", wakeAt: nil)))
            let reader = try store.makeReader()
            #expect(try reader.schedulesToWake(limit: 10).map(\.name) == ["b", "c", "a"])
            #expect(try reader.schedulesToWake(limit: 1).map(\.name) == ["b"])
            #expect(try reader.schedules(after: "", limit: 2).map(\.name) == ["a", "b"])
            #expect(try reader.schedules(after: "b", limit: 9).map(\.name) == ["c", "d"])
            #expect(
                await refusal { try await store.store(ScheduleChange(of: nil, to: .sample("e"))) }
                    == .full(.schedule))
        }
    }

    @Test(arguments: Engine.allCases) func `has occurrences that are removed by their age`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let times = (0..<5).map { skipped($0 * 60, .missed) }
            try await store.store(ScheduleChange(of: nil, to: .sample(), planned: times))
            func remove(_ limit: Int) async throws -> Int {
                try await store.perform(RowSweep(.occurrences, before: .noon(180), limit: limit))
            }
            #expect(try await remove(2) == 2)
            #expect(try await remove(100) == 1)
            #expect(try await remove(100) == 0)
            #expect(try store.occurrences().map(\.scheduledFor) == [.noon(180), .noon(240)])
        }
    }

    @Test(arguments: Engine.allCases) func `leaves nothing to a later one of its name`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.store(ScheduleChange(of: nil, to: .sample(), planned: [skipped(0, .missed)]))
            try await store.removeSchedule("nightly", revision: 1)
            try await store.store(ScheduleChange(of: nil, to: .sample()))
            #expect(try store.occurrences().isEmpty)
            try await store.store(ScheduleChange(of: 1, to: .sample(), planned: [planned(0)]))
            #expect(try store.occurrences().count == 1)
        }
    }

    @Test func `is still known after the store was opened again`() async throws {
        try await withDirectory { directory in
            var record = ScheduleRecord.sample()
            record.progress.pause = .init(at: .noon, by: "ada", reason: "release")
            let change = ScheduleChange(of: nil, to: record, planned: [planned(0)])
            _ = try await withSQLite(directory) { store in try await store.store(change) }
            try await withSQLite(directory) { store in
                let progress = try store.makeReader().schedule("nightly")?.progress
                #expect(progress == record.progress)
                let occurrences = try store.occurrences()
                #expect(occurrences.count == 1)
            }
        }
    }
}
