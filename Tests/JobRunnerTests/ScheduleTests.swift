import EventIO
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import MemoryStore
import StrictJSON
import Synchronization
import Testing

@testable import JobRunner

/// Servers on one store, whose clock only the test advances.
private final class Servers: Sendable {
    let store: MemoryJobStore
    let time: ManualClock
    private let runners: Mutex<[ScheduleRunner]>
    private let loops: Mutex<[EventLoop]>
    let troubles = Mutex<[String]>([])

    init(at start: String = "2026-11-02T10:00:00.500Z", limits: StoreLimits = StoreLimits()) throws {
        time = ManualClock(start: try Timestamp.parse(start))
        store = MemoryJobStore(limits: limits, clock: time)
        runners = Mutex([])
        loops = Mutex([])
    }

    /// Starts a further server.
    func start() async throws {
        let loop = try EventLoop(name: "server")
        loop.start()
        let runner = ScheduleRunner(
            store: store, loop: SteppedLoop(on: loop, time: time), jobs: Self.jobs(time),
            trouble: { [self] trouble in troubles.withLock { $0.append(trouble.detail) } })
        loops.withLock { $0.append(loop) }
        runners.withLock { $0.append(runner) }
        let reader = try store.makeReader()
        await withCheckedContinuation { continuation in
            loop.execute {
                runner.start(reader) { _ in }
                continuation.resume()
            }
        }
    }

    /// Stops all servers.
    func stop() { runners.withLock { $0.forEach { $0.stop() } } }

    /// Lets time pass, and waits until all servers have done what is due.
    func letPass(_ duration: Duration) async {
        time.advance(by: duration)
        await withTaskGroup(of: Void.self) { group in
            for runner in runners.withLock({ $0 }) {
                group.addTask {
                    await withCheckedContinuation { continuation in runner.look { continuation.resume() } }
                }
            }
        }
    }

    /// Waits until a schedule can be changed.
    func settle(_ name: String = "tick") async {
        for runner in runners.withLock({ $0 }) {
            await withCheckedContinuation { continuation in runner.settle(name) { continuation.resume() } }
        }
    }

    func put(_ text: String, name: String = "tick") async throws {
        let value = try JSONParser.parse(Array(text.utf8))
        let spec = try ScheduleReader.read(
            value, name: name, now: time.now, egress: EgressPolicy(), kinds: .none, templates: { _ in nil }
        ).get()
        let record = ScheduleRecord(
            name: name, version: 1, body: CanonicalJSON.encode(value), updatedAt: time.now, updatedBy: "ada",
            progress: ScheduleTurn.beginning(spec, after: nil, at: time.now, by: "ada"))
        try await store.perform(ScheduleChange(of: nil, to: record))
    }

    /// Replaces a schedule that is stored.
    func replace(_ record: ScheduleRecord) async throws {
        let change = ScheduleChange(of: record.revision, to: record)
        try await store.perform(change)
    }

    /// Cancels the jobs of all occurrences.
    func cancelJobs() async throws {
        for id in try occurrences().compactMap(\.job) {
            let event = JournalEntry.Event.cancelRequested(by: "ada", reason: nil)
            let request = CancelRequest(
                id: id, at: time.now, journal: JournalEntry(at: time.now, path: [], event: event))
            _ = try await store.perform(request)
        }
    }

    func occurrences(of name: String = "tick") throws -> [Occurrence] {
        var query = OccurrenceQuery(limit: 10_000)
        query.isLatestFirst = false
        return try store.makeReader().occurrences(of: name, query)
    }

    private static func jobs(_ time: ManualClock) -> ScheduledJobs {
        ScheduledJobs(
            make: { spec, _, date, _ throws(JobStoreError) in
                if spec.plan.name == "waking", time.now < Timestamp(milliseconds: 1_793_613_604_000) {
                    throw JobStoreError(.unavailable, "The store does not answer.")
                }
                if spec.plan.name == "broken" { return .failure(.init("It has no template.")) }
                let isOdd = date.milliseconds / 1_000 % 2 == 1
                if spec.plan.name == "fading", isOdd {
                    return .failure(.init("It has no template any more."))
                }
                var random = SystemRandomNumberGenerator()
                let record = JobRecord(
                    id: JobID(at: time.now, using: &random), name: spec.plan.name, type: "value",
                    queue: "default",
                    priority: 5, labels: [], state: .queued, attemptsMax: 1, createdAt: time.now,
                    keepSucceededMilliseconds: 60_000, keepFailedMilliseconds: 60_000)
                return .success(NewJob(record: record, spec: spec.job(scheduledFor: date).encoded()))
            },
            replacing: { job, _ in
                CancelRequest(
                    id: job.id, at: time.now,
                    journal: JournalEntry(
                        at: time.now, path: [], event: .cancelRequested(by: "schedule", reason: nil)))
            })
    }
}

@Suite struct `Schedules of the engine` {
    private static let everySecond =
        #"{"every": "1s", "overlap": "allow", "job": {"type": "value", "value": 1}}"#

    @Test func `make one job for each planned time, on however many servers`() async throws {
        let servers = try Servers()
        try await servers.put(Self.everySecond)
        for _ in 0..<3 { try await servers.start() }
        for _ in 0..<100 { await servers.letPass(.seconds(1)) }
        let found = try servers.occurrences()
        #expect(found.count == 100)
        #expect(Set(found.compactMap(\.job)).count == 100)
        #expect(servers.store.counts() == [.queued: 100])
        #expect(servers.troubles.withLock { $0 }.isEmpty)
    }

    @Test func `go on where another server has stopped`() async throws {
        let servers = try Servers()
        try await servers.put(Self.everySecond)
        try await servers.start()
        await servers.letPass(.seconds(5))
        servers.stop()
        servers.time.advance(by: .seconds(5))
        try await servers.start()
        await servers.letPass(.zero)
        #expect(try servers.occurrences().count == 10)
        #expect(servers.store.counts() == [.queued: 10])
        // Of those that are more than ten seconds late only the latest would be caught up, and it is not late.
        servers.stop()
        servers.time.advance(by: .seconds(100))
        try await servers.start()
        await servers.letPass(.zero)
        let reasons = try servers.occurrences().map { occurrence -> Occurrence.Reason? in
            if case .skipped(let reason, _) = occurrence.outcome { reason } else { nil }
        }
        #expect(reasons.count == 110)
        #expect(reasons.count { $0 == .missed } == 90)
        #expect(reasons.last == .some(nil))
    }

    @Test func `tell why a job could not be made, and go on`() async throws {
        let servers = try Servers()
        try await servers.put(Self.everySecond, name: "broken")
        try await servers.put(Self.everySecond)
        try await servers.start()
        for _ in 0..<3 { await servers.letPass(.seconds(1)) }
        let broken = try servers.occurrences(of: "broken")
        #expect(
            broken.map(\.outcome)
                == Array(repeating: .skipped(.invalid, detail: "It has no template."), count: 3))
        #expect(try servers.store.makeReader().schedule("broken")?.progress.runs == 0)
        #expect(try servers.occurrences().compactMap(\.job).count == 3)
    }

    @Test func `cancel the job that the next one replaces`() async throws {
        let servers = try Servers()
        try await servers.put(#"{"every": "1s", "overlap": "replace", "job": {"type": "value", "value": 1}}"#)
        try await servers.start()
        for _ in 0..<3 { await servers.letPass(.seconds(1)) }
        #expect(servers.store.counts() == [.queued: 1, .cancelled: 2])
        #expect(try servers.occurrences().compactMap(\.job).count == 3)
    }

    @Test func `keep the job when the next one cannot be made`() async throws {
        let servers = try Servers()
        try await servers.put(
            #"{"every": "1s", "overlap": "replace", "job": {"type": "value", "value": 1}}"#, name: "fading")
        try await servers.start()
        var kept: JobID?
        for _ in 0..<6 {
            await servers.letPass(.seconds(1))
            let reader = try servers.store.makeReader()
            guard let open = try reader.schedule("fading")?.progress.open, let job = open.last
            else { continue }
            #expect(open.count == 1)
            #expect(try reader.job(job)?.state == .queued)
            kept = job
        }
        #expect(kept != nil)
        let found = try servers.occurrences(of: "fading")
        #expect(found.count == 6)
        #expect(servers.store.counts() == [.queued: 1, .cancelled: found.compactMap(\.job).count - 1])
        #expect(found.compactMap(\.job).count == 3)
    }

    @Test func `of a spec that cannot be read here wait and are reported`() async throws {
        let servers = try Servers()
        try await servers.put(Self.everySecond)
        var record = try #require(try servers.store.makeReader().schedule("tick"))
        record.body = Array(#"{"every": "1s", "tz": "Nowhere/Town", "job": {}}"#.utf8)
        try await servers.replace(record)
        try await servers.start()
        for _ in 0..<5 { await servers.letPass(.seconds(1)) }
        #expect(servers.troubles.withLock { $0 }.count == 1)
        #expect(try servers.occurrences().isEmpty)
    }

    @Test func `fill in none that has a job, however many times of an earlier spec come between`()
        async throws
    {
        let servers = try Servers()
        let begin = servers.time.now
        try await servers.put(
            #"{"every": "1s", "overlap": "allow", "missed": "all", "job": {"type": "value", "value": 1}}"#)
        try await servers.start()
        await servers.letPass(.seconds(2 * Double(BackfillTurn.timesMax) - 100))
        let made = try servers.occurrences().compactMap(\.job).count
        #expect(made > BackfillTurn.timesMax)
        var record = try #require(try servers.store.makeReader().schedule("tick"))
        record.body = Array(
            #"{"every": "10s", "overlap": "allow", "job": {"type": "value", "value": 1}}"#.utf8)
        record.progress.backfill = .init(
            from: begin, to: servers.time.now, only: .missing, concurrency: 100, startedAt: servers.time.now,
            startedBy: "ada")
        (record.progress.next, record.progress.wakeAt) = (nil, servers.time.now)
        try await servers.replace(record)
        for _ in 0..<3 { await servers.letPass(.seconds(1)) }
        #expect(try servers.store.makeReader().schedule("tick")?.progress.backfill == nil)
        #expect(try servers.occurrences().allSatisfy { $0.origin == .plan })
        #expect(servers.store.counts() == [.queued: made])
    }

    @Test func `make up all that was missed one after the other, over kills and on several servers`()
        async throws
    {
        let servers = try Servers()
        try await servers.put(
            #"{"every": "1s", "missed": "all", "max_runs": 12, "job": {"type": "value", "value": 1}}"#)
        servers.time.advance(by: .seconds(30))
        for round in 0..<40 {
            // Now and then all servers are killed.
            if round % 7 == 0 {
                servers.stop()
                for _ in 0..<2 { try await servers.start() }
            }
            await servers.letPass(.seconds(1))
            #expect((servers.store.counts()[.queued] ?? 0) <= 1)
            // Every third look finds the job at work still.
            if round % 3 != 0 { try await servers.cancelJobs() }
        }
        let found = try servers.occurrences()
        let made = found.filter { $0.job != nil }
        #expect(made.count == 12)
        #expect(made.map(\.scheduledFor) == found.prefix(12).map(\.scheduledFor))
        #expect(Set(made.compactMap(\.job)).count == 12)
        #expect(try servers.store.makeReader().schedule("tick")?.progress.next == nil)
    }

    @Test func `let changes in while missed planned times wait for a job`() async throws {
        let servers = try Servers()
        try await servers.put(#"{"every": "1s", "missed": "all", "job": {"type": "value", "value": 1}}"#)
        servers.time.advance(by: .seconds(30))
        try await servers.start()
        await servers.letPass(.zero)
        let waiting = try #require(try servers.store.makeReader().schedule("tick"))
        #expect(waiting.progress.catchesUpSince != nil)
        servers.time.advance(by: .seconds(1))
        await servers.settle()
        #expect(try servers.store.makeReader().schedule("tick")?.revision == waiting.revision + 1)
        #expect(servers.store.counts() == [.queued: 1])
    }

    @Test func `fill in what is missing when the store has room again`() async throws {
        var limits = StoreLimits()
        limits.unfinishedJobsMax = 3
        let servers = try Servers(limits: limits)
        try await servers.put(#"{"every": "1h", "job": {"type": "value", "value": 1}}"#)
        let now = servers.time.now
        var record = try #require(try servers.store.makeReader().schedule("tick"))
        record.progress.backfill = .init(
            from: now.advanced(by: .seconds(-5 * 3_600)), to: now, only: .missing, concurrency: 9,
            startedAt: now, startedBy: "ada")
        record.progress.wakeAt = now
        try await servers.replace(record)
        try await servers.start()
        for _ in 0..<2 { await servers.letPass(.seconds(1)) }
        #expect(try servers.occurrences().compactMap(\.job).count == 3)
        #expect(try servers.store.makeReader().schedule("tick")?.progress.backfill?.made == 3)
        try await servers.cancelJobs()
        for _ in 0..<2 { await servers.letPass(.seconds(1)) }
        let found = try servers.occurrences()
        #expect(found.count == 5)
        #expect(Set(found.compactMap(\.job)).count == 5)
        try await servers.cancelJobs()
        for _ in 0..<2 { await servers.letPass(.seconds(1)) }
        #expect(try servers.store.makeReader().schedule("tick")?.progress.backfill == nil)
        #expect(servers.store.counts() == [.cancelled: 5])
    }

    @Test func `wait for a store that does not tell which job is to be made`() async throws {
        let servers = try Servers()
        try await servers.put(
            #"{"every": "1s", "overlap": "allow", "missed": "all", "job": {"type": "value", "value": 1}}"#,
            name: "waking")
        try await servers.start()
        await servers.letPass(.seconds(2))
        #expect(try servers.occurrences(of: "waking").isEmpty)
        for _ in 0..<4 { await servers.letPass(.seconds(1)) }
        let found = try servers.occurrences(of: "waking")
        #expect(!found.isEmpty)
        #expect(found.allSatisfy { $0.job != nil })
    }

    @Test func `let changes in while a backfill finds nothing to do, and write in proportion`() async throws {
        let servers = try Servers()
        try await servers.put(
            #"{"every": "1s", "starts_at": "2020-01-01T00:00:00Z", "except": ["2026-11-01"], "#
                + #""job": {"type": "value", "value": 1}}"#)
        let from = try Timestamp.parse("2026-11-01T00:00:00Z")
        var record = try #require(try servers.store.makeReader().schedule("tick"))
        record.progress.backfill = .init(
            from: from, to: from.advanced(by: .seconds(3_599)), only: .all, concurrency: 1,
            startedAt: servers.time.now, startedBy: "ada")
        record.progress.wakeAt = servers.time.now
        try await servers.replace(record)
        try await servers.start()
        await servers.settle()
        let begun = try #require(try servers.store.makeReader().schedule("tick"))
        #expect(begun.progress.backfill != nil)
        #expect(begun.revision == record.revision + 2)
        var turns = 1
        while try servers.store.makeReader().schedule("tick")?.progress.backfill != nil, turns < 20 {
            await servers.letPass(BackfillTurn.pausesFor)
            turns += 1
        }
        #expect(turns == 3_600 / BackfillTurn.timesMax + 1)
        let last = try servers.store.makeReader().schedule("tick")
        #expect(last?.revision == record.revision + Int64(turns) + 1)
    }

    @Test func `end when they have made so many jobs, not when one could not be made`() async throws {
        let servers = try Servers()
        try await servers.put(
            #"{"every": "1s", "overlap": "allow", "max_runs": 2, "job": {"type": "value", "value": 1}}"#,
            name: "fading")
        try await servers.start()
        for _ in 0..<6 { await servers.letPass(.seconds(1)) }
        let found = try servers.occurrences(of: "fading")
        #expect(found.map { $0.job == nil } == [true, false, true, false])
        let progress = try servers.store.makeReader().schedule("fading")?.progress
        #expect(progress?.runs == 2)
        #expect(progress?.next == nil)
        #expect(progress?.wakeAt == nil)
    }
}
