import JobKit
import JobSpec
import JobStore
import Testing

@Suite struct `A turn of a schedule` {
    private let start: Timestamp
    /// A schedule that is planned at each full hour.
    private let hourly: ScheduleSpec

    init() throws {
        start = try Timestamp.parse("2026-11-02T10:00:00Z")
        hourly = try readSchedule(#"{"cron": "0 * * * *", "job": {"type": "delay", "for": "1s"}}"#).get()
    }

    private func hours(_ count: Double) -> Timestamp { start.advanced(by: .seconds(count * 3_600)) }

    /// The progress of a schedule whose first planned time is at `start`.
    private var fresh: ScheduleProgress {
        ScheduleTurn.beginning(hourly, after: nil, at: hours(-0.5), by: "ada")
    }

    private func turn(
        _ progress: ScheduleProgress? = nil, _ change: (inout ScheduleSpec) -> Void = { _ in },
        at now: Timestamp,
        states: [JobID: JobState] = [:], settled: Set<Timestamp> = []
    ) -> ScheduleTurn {
        var spec = hourly
        change(&spec)
        return ScheduleTurn(progress ?? fresh, spec, at: now, .init(states: states, settled: settled))
    }

    private func reasons(_ turn: ScheduleTurn) -> [Occurrence.Reason?] { turn.decisions.map(\.reason) }

    @Test func `does nothing before its time`() {
        let turn = turn(at: hours(-0.1))
        #expect(turn.decisions.isEmpty)
        #expect(turn.progress.next == start)
        #expect(turn.progress.wakeAt == start)
    }

    @Test func `makes one job when its time has come`() {
        let turn = turn(at: hours(0.001))
        #expect(turn.decisions.map(\.at) == [start])
        #expect(reasons(turn) == [nil])
        #expect(turn.progress.next == hours(1))
        #expect(turn.progress.wakeAt == hours(1))
        #expect(turn.progress.runs == 1)
    }

    @Test func `catches up the latest of those that it missed`() {
        let turn = turn(at: hours(3.5))
        #expect(reasons(turn) == [.missed, .missed, .missed, nil])
        #expect(turn.decisions.last?.at == hours(3))
        #expect(turn.decisions.first?.detail?.contains("3h30m") == true)
        #expect(turn.progress.next == hours(4))
    }

    @Test func `catches up none, or all, or those that are recent enough`() {
        #expect(reasons(turn(nil, { $0.missed.run = .none }, at: hours(2.5))) == [.missed, .missed, .missed])
        let all = turn(
            nil, { ($0.missed.run, $0.overlap) = (.all, .allow) }, at: hours(2.5))
        #expect(reasons(all) == [nil, nil, nil])
        #expect(all.progress.caughtUp == 3)
        let recent = turn(
            nil, { ($0.missed.run, $0.missed.within, $0.overlap) = (.all, .seconds(5_400), .allow) },
            at: hours(2.5))
        #expect(reasons(recent) == [.missed, nil, nil])
        #expect(
            reasons(turn(nil, { $0.missed.within = .seconds(60) }, at: hours(2.5))).allSatisfy {
                $0 == .missed
            })
    }

    @Test func `says of each planned time without a job why it has none`() {
        // Both are in time, since the jobs come later than planned.
        let overlapping = turn(
            nil, { $0.plan.times = .every(.seconds(5), from: start) }, at: start.advanced(by: .seconds(9)))
        #expect(reasons(overlapping) == [nil, .overlap])
        #expect(overlapping.decisions.last?.detail == "The job of \(start) has not ended.")
        var paused = fresh
        paused.pause = .init(at: start, by: "ada", reason: nil)
        #expect(turn(paused, at: hours(0.5)).decisions.first?.detail == "The schedule is paused.")
    }

    @Test func `catches up so many in a row and tells of the others`() {
        var progress = fresh
        progress.caughtUp = ScheduleTurn.caughtUpMax - 1
        let turn = turn(progress, { ($0.missed.run, $0.overlap) = (.all, .allow) }, at: hours(1.5))
        #expect(reasons(turn) == [nil, .limit])
    }

    @Test func `skips a time while an earlier job has not ended`() {
        var progress = fresh
        let (open, ended) = (JobID(high: 1, low: 1), JobID(high: 1, low: 2))
        progress.open = [open, ended]
        let turn = turn(progress, at: hours(0), states: [open: .running, ended: .succeeded])
        #expect(reasons(turn) == [.overlap])
        #expect(turn.decisions.first?.detail?.contains(open.description) == true)
        #expect(turn.progress.open == [open])
        #expect(reasons(self.turn(progress, at: hours(0), states: [open: .failed])) == [nil])
    }

    @Test func `lets one wait, or replaces, or allows several`() {
        var progress = fresh
        let (first, second) = (JobID(high: 1, low: 1), JobID(high: 1, low: 2))
        progress.open = [first]
        let running: [JobID: JobState] = [first: .running, second: .queued]
        #expect(reasons(turn(progress, { $0.overlap = .wait }, at: hours(0), states: running)) == [nil])
        let replaced = turn(progress, { $0.overlap = .replace }, at: hours(0), states: running)
        #expect(reasons(replaced) == [nil])
        #expect(replaced.replaced == [first])
        #expect(reasons(turn(progress, { $0.overlap = .allow }, at: hours(0), states: running)) == [nil])
        progress.open = [first, second]
        #expect(reasons(turn(progress, { $0.overlap = .wait }, at: hours(0), states: running)) == [.overlap])
    }

    @Test func `makes the job of the latest of several due times, which replaces the others`() {
        let turn = turn(
            nil,
            {
                $0.overlap = .replace
                $0.missed.run = .all
            }, at: hours(2.5))
        #expect(reasons(turn) == [.overlap, .overlap, nil])
        #expect(turn.decisions.last?.at == hours(2))
        #expect(turn.decisions.first?.detail == "A later planned time replaces it.")
        #expect(turn.progress.runs == 1)
        #expect(turn.progress.next == hours(3))
    }

    @Test func `pauses after so many failures, and tells why nothing runs`() {
        var progress = fresh
        progress.open = [JobID(high: 1, low: 1), JobID(high: 1, low: 2)]
        let states = Dictionary(uniqueKeysWithValues: progress.open.map { ($0, JobState.failed) })
        let paused = turn(progress, { $0.failuresMax = 2 }, at: hours(0), states: states)
        #expect(reasons(paused) == [.paused])
        #expect(paused.progress.pause?.by == nil)
        #expect(paused.progress.pause?.reason?.contains("2 jobs in a row failed") == true)
        #expect(reasons(turn(progress, { $0.failuresMax = 3 }, at: hours(0), states: states)) == [nil])
        var resumed = paused.progress
        resumed.resume()
        #expect(reasons(turn(resumed, { $0.failuresMax = 2 }, at: hours(1))) == [nil])
    }

    @Test func `settles the times of a pause without catching them up`() {
        var progress = fresh
        progress.pause = .init(at: hours(-1), by: "ada", reason: "release")
        let turn = turn(progress, at: hours(2))
        #expect(reasons(turn) == [.paused, .paused, .paused])
        #expect(turn.decisions.allSatisfy { $0.detail == "release" })
        #expect(turn.progress.runs == 0)
    }

    @Test func `leaves out its exceptions`() throws {
        let day = start.milliseconds / 86_400_000
        let turn = turn(nil, { $0.plan.exceptions = [day] }, at: hours(0))
        #expect(reasons(turn) == [.excluded])
    }

    @Test func `ends after so many jobs`() {
        var spec = hourly
        spec.runsMax = 2
        let turn = turn(nil, { ($0.runsMax, $0.overlap, $0.missed.run) = (2, .allow, .all) }, at: hours(5))
        #expect(reasons(turn) == [nil, nil])
        #expect(turn.progress.runs == 2)
        let over = self.turn(turn.progress, { $0.runsMax = 2 }, at: hours(5))
        #expect(over.decisions.isEmpty)
        #expect(over.progress.next == nil)
        #expect(over.progress.wakeAt == nil)
        #expect(ScheduleTurn.beginning(spec, after: turn.progress, at: hours(6), by: "ada").next == nil)
    }

    @Test func `never decides a planned time twice`() {
        let turn = turn(at: hours(0), settled: [start])
        #expect(turn.decisions.isEmpty)
        #expect(turn.progress.next == hours(1))
    }

    @Test func `settles a few of very many at once, and goes on`() {
        var progress = fresh
        var count = 0
        repeat {
            let turn = turn(progress, at: hours(700))
            count += turn.decisions.count
            #expect(turn.decisions.count <= ScheduleTurn.timesMax)
            progress = turn.progress
        } while progress.wakeAt.map { $0 <= hours(700) } ?? false
        #expect(count == 701)
        #expect(progress.next == hours(701))
    }

    @Test func `makes a few of very many jobs at once, and goes on`() {
        let turn = turn(
            nil, { ($0.missed.run, $0.missed.within, $0.overlap) = (.all, .seconds(9_000_000), .allow) },
            at: hours(200))
        #expect(turn.decisions.count == ScheduleTurn.jobsMax)
        #expect(turn.progress.wakeAt == hours(Double(ScheduleTurn.jobsMax)))
    }

    @Test func `makes no job when as many have not ended as it can watch, instead of forgetting one`() {
        var progress = fresh
        progress.open = (0..<UInt64(ScheduleTurn.openMax)).map { JobID(high: 7, low: $0) }
        var states = Dictionary(uniqueKeysWithValues: progress.open.map { ($0, JobState.running) })
        func turn(_ overlap: ScheduleSpec.Overlap, failures: Int?) -> ScheduleTurn {
            self.turn(
                progress, { ($0.overlap, $0.failuresMax) = (overlap, failures) }, at: hours(0),
                states: states)
        }
        let full = turn(.allow, failures: 3)
        #expect(reasons(full) == [.limit])
        #expect(full.progress.open.count == ScheduleTurn.openMax)
        #expect(reasons(turn(.allow, failures: nil)) == [nil])
        #expect(turn(.replace, failures: nil).replaced.count == ScheduleTurn.openMax)
        states[JobID(high: 7, low: 0)] = .succeeded
        #expect(reasons(turn(.allow, failures: 3)) == [nil])
    }

    @Test func `tells of times that are too old to be listed`() {
        let turn = turn(at: hours(24 * 40))
        #expect(turn.progress.note?.detail.contains("older than 30 days") == true)
        #expect(turn.decisions.first.map { $0.at > hours(24 * 9) } == true)
    }

    @Test func `plans anew when the next time is none any more`() {
        var progress = fresh
        progress.next = hours(0.5)
        let turn = turn(progress, at: hours(0.2))
        #expect(turn.progress.next == hours(1))
        #expect(turn.progress.note?.detail.contains("no planned time any more") == true)
        // One that has passed is kept: it was promised.
        #expect(self.turn(progress, at: hours(0.5)).decisions.map(\.at) == [hours(0.5)])
    }

    @Test func `is stored and read again as it was`() throws {
        var progress = fresh
        progress.pause = .init(at: start, by: nil, reason: "failures")
        progress.open = [JobID(high: 7, low: 9)]
        progress.note = .init(at: start, detail: "changed")
        progress.backfill = .init(
            from: start, to: hours(3), only: .failed, concurrency: 3, startedAt: start, startedBy: "ada")
        progress.backfill?.open = [JobID(high: 7, low: 8)]
        progress.backfill?.made = 2
        progress.backfill?.looked = 9
        progress.catchesUpSince = hours(2)
        (progress.runs, progress.failures, progress.caughtUp) = (5, 1, 3)
        #expect(try ScheduleProgress(decoding: progress.encoded) == progress)
    }
}

@Suite struct `A turn of a backfill` {
    @Test func `makes the jobs that are missing, a few at a time`() throws {
        let start = try Timestamp.parse("2026-11-02T10:00:00Z")
        let spec = try readSchedule(#"{"cron": "0 * * * *", "job": {"type": "delay", "for": "1s"}}"#).get()
        let end = start.advanced(by: .seconds(4 * 3_600))
        var backfill = ScheduleProgress.Backfill(
            from: start, to: end, only: .missing, concurrency: 2, startedAt: end, startedBy: "ada")
        let id = JobID(high: 1, low: 1)
        let known = Occurrence(scheduledFor: start, outcome: .job(id), decidedAt: start)
        let skipped = Occurrence(
            scheduledFor: start.advanced(by: .seconds(3_600)), outcome: .skipped(.missed, detail: nil),
            decidedAt: start)
        let settled = BackfillTurn.Settled([
            known.scheduledFor: (known, .failed), skipped.scheduledFor: (skipped, nil),
        ])
        func hour(_ date: Timestamp) -> Int64 { date.since(start).components.seconds / 3_600 }
        let first = BackfillTurn(backfill, spec.plan, at: end, settled: settled)
        #expect(first.chosen.map(hour) == [1, 2])
        backfill = try #require(first.backfill)
        backfill.open = [id, JobID(high: 1, low: 2)]
        #expect(BackfillTurn(backfill, spec.plan, at: end, settled: settled).chosen.isEmpty)
        backfill.open = []
        let last = BackfillTurn(backfill, spec.plan, at: end, settled: settled)
        #expect(last.chosen.map(hour) == [3, 4])
        backfill = try #require(last.backfill)
        #expect(BackfillTurn(backfill, spec.plan, at: end, settled: settled).backfill == nil)
        backfill.only = .failed
        backfill.next = start
        #expect(BackfillTurn(backfill, spec.plan, at: end, settled: settled).chosen.map(hour) == [0])
        backfill.only = .all
        backfill.concurrency = 3
        #expect(
            BackfillTurn(backfill, spec.plan, at: end, settled: settled).chosen.map(hour) == [0, 1, 2])
    }

    @Test func `looks no further than the occurrences that were read, and goes on from there`() throws {
        let start = try Timestamp.parse("2026-11-02T10:00:00Z")
        let spec = try readSchedule(#"{"cron": "0 * * * *", "job": {"type": "delay", "for": "1s"}}"#).get()
        func hours(_ count: Double) -> Timestamp { start.advanced(by: .seconds(count * 3_600)) }
        var backfill = ScheduleProgress.Backfill(
            from: start, to: hours(4), only: .missing, concurrency: 9, startedAt: hours(4), startedBy: "ada")
        func settled(_ times: [Timestamp], readTo: Timestamp? = nil) -> BackfillTurn.Settled {
            var found: [Timestamp: (Occurrence, JobState?)] = [:]
            let state: JobState? = .succeeded
            for time in times {
                let job = Occurrence.Outcome.job(JobID(high: 1, low: 1))
                found[time] = (Occurrence(scheduledFor: time, outcome: job, decidedAt: time), state)
            }
            return BackfillTurn.Settled(found, readTo: readTo)
        }
        // A person ran it at half past, and of the hours after that nothing was read.
        let read = settled([start, hours(0.5)], readTo: hours(0.5))
        let first = BackfillTurn(backfill, spec.plan, at: hours(4), settled: read)
        #expect(first.chosen.isEmpty)
        #expect(first.wakeAt == hours(4).advanced(by: BackfillTurn.pausesFor))
        backfill = try #require(first.backfill)
        #expect(backfill.next == hours(0.5).advanced(by: .milliseconds(1)))
        let rest = settled([hours(1), hours(2)])
        let second = BackfillTurn(backfill, spec.plan, at: hours(4), settled: rest)
        #expect(second.chosen == [hours(3), hours(4)])
    }

    @Test(arguments: [
        (ScheduleProgress.Backfill.Only.missing, [2.0, 3]), (.failed, [0]), (.all, [0, 1, 2, 3]),
    ])
    func `leaves out times whose occurrences were removed while it ran`(
        only: ScheduleProgress.Backfill.Only, chosen: [Double]
    ) throws {
        let start = try Timestamp.parse("2026-11-02T10:00:00Z")
        let spec = try readSchedule(#"{"cron": "0 * * * *", "job": {"type": "delay", "for": "1s"}}"#).get()
        func hours(_ count: Double) -> Timestamp { start.advanced(by: .seconds(count * 3_600)) }
        let backfill = ScheduleProgress.Backfill(
            from: start, to: hours(3), only: only, concurrency: 9, startedAt: hours(4), startedBy: "ada")
        func failed(_ time: Timestamp) -> (Occurrence, JobState?) {
            let job = Occurrence.Outcome.job(JobID(high: 1, low: 1))
            return (Occurrence(scheduledFor: time, outcome: job, decidedAt: time), .failed)
        }
        // Of the times that are 30 days old the first was decided late, so that its occurrence is still there.
        let settled = BackfillTurn.Settled([hours(0): failed(hours(0))])
        let now = hours(2 + 30 * 24)
        #expect(BackfillTurn(backfill, spec.plan, at: now, settled: settled).chosen == chosen.map(hours))
    }

    @Test func `ends at the limit of planned times, when a change of the schedule made them more`() throws {
        let start = try Timestamp.parse("2026-11-02T10:00:00Z")
        let spec = try readSchedule(#"{"every": "1s", "job": {"type": "delay", "for": "1s"}}"#).get()
        let end = start.advanced(by: .seconds(1_000_000))
        var backfill: ScheduleProgress.Backfill? = .init(
            from: start, to: end, only: .failed, concurrency: 1, startedAt: end, startedBy: "ada")
        backfill?.looked = BackfillTurn.plannedMax - BackfillTurn.timesMax - 10
        var notes: [String?] = []
        while let known = backfill {
            let turn = BackfillTurn(known, spec.plan, at: end, settled: .init())
            backfill = turn.backfill
            notes.append(turn.note)
        }
        #expect(notes.count == 2)
        #expect(notes[0] == nil)
        #expect(notes[1]?.contains("before 2026-11-02T10:08:30.000Z") == true)
    }

    @Test func `waits after it has chosen a time, since there may be no room for its job`() throws {
        let start = try Timestamp.parse("2026-11-02T10:00:00Z")
        let spec = try readSchedule(#"{"cron": "* * * * *", "job": {"type": "delay", "for": "1s"}}"#).get()
        let end = start.advanced(by: .seconds(86_400))
        let backfill = ScheduleProgress.Backfill(
            from: start, to: end, only: .failed, concurrency: 9, startedAt: end, startedBy: "ada")
        let none = BackfillTurn(backfill, spec.plan, at: end, settled: .init())
        #expect(none.chosen.isEmpty)
        #expect(none.wakeAt == end.advanced(by: BackfillTurn.pausesFor))
        let job = Occurrence(scheduledFor: start, outcome: .job(JobID(high: 1, low: 1)), decidedAt: start)
        let state: JobState? = .failed
        let one = BackfillTurn(backfill, spec.plan, at: end, settled: .init([start: (job, state)]))
        #expect(one.chosen == [start])
        #expect(one.backfill?.next == none.backfill?.next)
        #expect(one.wakeAt == end.advanced(by: BackfillTurn.waitsFor))
    }
}
