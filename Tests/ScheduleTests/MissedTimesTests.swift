import JobKit
import JobSpec
import JobStore
import Testing

@Suite struct `Missed planned times that are all made up` {
    private let start: Timestamp
    private let job = JobID(high: 1, low: 1)
    private let other = JobID(high: 1, low: 2)

    init() throws { start = try Timestamp.parse("2026-11-02T10:00:00Z") }

    private func hours(_ count: Double) -> Timestamp { start.advanced(by: .seconds(count * 3_600)) }

    /// A schedule that is planned at each full hour from `start` on, with its place.
    private struct Hourly {
        var spec: ScheduleSpec
        var progress: ScheduleProgress

        init(_ members: String = "", at start: Timestamp) throws {
            spec = try readSchedule(
                #"{"cron": "0 * * * *", "missed": {"run": "all", "within": "720h"}, \#(members) "#
                    + #""job": {"type": "delay", "for": "1s"}}"#
            ).get()
            progress = ScheduleTurn.beginning(
                spec, after: nil, at: start.advanced(by: .seconds(-1_800)), by: "ada")
        }

        mutating func turn(at now: Timestamp, _ states: [JobID: JobState] = [:]) -> ScheduleTurn {
            let turn = ScheduleTurn(progress, spec, at: now, .init(states: states))
            progress = turn.progress
            return turn
        }

        /// Turns at `now` whose jobs end before the next one; their decisions until the time of a turn is later than
        /// `end`.
        mutating func run(from now: Timestamp, to end: Timestamp) -> [ScheduleTurn.Decision] {
            var (now, count) = (now, UInt64(0))
            var decisions: [ScheduleTurn.Decision] = []
            while now <= end {
                let ended = progress.open.map { ($0, JobState.succeeded) }
                let made = turn(at: now, Dictionary(uniqueKeysWithValues: ended)).decisions
                decisions += made
                for decision in made where decision.reason == nil {
                    count += 1
                    progress.open.append(JobID(high: 9, low: count))
                }
                guard let wakeAt = progress.wakeAt else { break }
                now = max(now, wakeAt)
            }
            return decisions
        }
    }

    private func times(_ turn: ScheduleTurn) -> [Timestamp] {
        turn.decisions.filter { $0.reason == nil }.map(\.at)
    }

    @Test func `run one after the other, in their order`() throws {
        var hourly = try Hourly(at: start)
        #expect(times(hourly.turn(at: hours(3.5))) == [start])
        #expect(hourly.progress.next == hours(1))
        #expect(hourly.progress.wakeAt == hours(3.5).advanced(by: ScheduleTurn.waitsFor))
        #expect(hourly.progress.note?.detail.contains("one after the other") == true)
        hourly.progress.open = [job]
        let waiting = hourly.turn(at: hours(3.6), [job: .running])
        #expect(waiting.decisions.isEmpty)
        #expect(waiting.progress.next == hours(1))
        #expect(times(hourly.turn(at: hours(3.7), [job: .succeeded])) == [hours(1)])
        var rest = try Hourly(at: start)
        let all = rest.run(from: hours(3.5), to: hours(3.9))
        #expect(all.map(\.at) == [start, hours(1), hours(2), hours(3)])
        #expect(all.allSatisfy { $0.reason == nil })
        #expect(rest.progress.catchesUpSince == nil)
        #expect(rest.progress.wakeAt == hours(4))
    }

    @Test func `look less often the longer a job runs`() throws {
        func wait(_ age: Duration) throws -> Duration {
            var hourly = try Hourly(at: start)
            var random = SystemRandomNumberGenerator()
            let running = JobID(at: hours(3.5).advanced(by: .zero - age), using: &random)
            hourly.progress.open = [running]
            let turn = hourly.turn(at: hours(3.5), [running: .running])
            #expect(turn.decisions.isEmpty)
            return try #require(turn.progress.wakeAt).since(hours(3.5))
        }
        #expect(try wait(.seconds(3)) == ScheduleTurn.waitsFor)
        #expect(try wait(.seconds(200)) == .seconds(20))
        #expect(try wait(.seconds(9_000)) == ScheduleTurn.waitsMax)
    }

    @Test func `wait behind the job that runs and the one that waits, with wait`() throws {
        var hourly = try Hourly(#""overlap": "wait","#, at: start)
        #expect(times(hourly.turn(at: hours(3.5))) == [start, hours(1)])
        hourly.progress.open = [job, other]
        #expect(hourly.turn(at: hours(3.6), [job: .running, other: .queued]).decisions.isEmpty)
        #expect(times(hourly.turn(at: hours(3.7), [job: .succeeded, other: .running])) == [hours(2)])
    }

    @Test func `leave what comes meanwhile to the rule for overlaps`() throws {
        var hourly = try Hourly(at: start)
        _ = hourly.turn(at: hours(1.5))
        hourly.progress.open = [job]
        // The servers look all the time; the job takes so long that two further times come.
        for quarter in 7...13 {
            hourly.progress.wakeAt = hours(Double(quarter) / 4)
            #expect(hourly.turn(at: hours(Double(quarter) / 4), [job: .running]).decisions.isEmpty)
        }
        hourly.progress.wakeAt = hours(3.5)
        let turn = hourly.turn(at: hours(3.5), [job: .succeeded])
        #expect(turn.decisions.map(\.at) == [hours(1), hours(2), hours(3)])
        #expect(turn.decisions.map(\.reason) == [nil, .overlap, .overlap])
        #expect(turn.decisions.last?.detail == "The job of \(hours(1)) has not ended.")
        #expect(turn.progress.catchesUpSince == nil)
    }

    @Test func `are joined by those of a second absence`() throws {
        var hourly = try Hourly(at: start)
        _ = hourly.turn(at: hours(1.5))
        hourly.progress.open = [job]
        // No server looked for two hours.
        #expect(hourly.turn(at: hours(3.5), [job: .running]).decisions.isEmpty)
        #expect(hourly.progress.catchesUpSince == hours(3.5))
        #expect(hourly.run(from: hours(3.5), to: hours(3.9)).map(\.reason) == [nil, nil, nil])
    }

    @Test func `do not become too late while they wait`() throws {
        var hourly = try Hourly(at: start)
        hourly.spec.missed.within = .seconds(2 * 3_600)
        let first = hourly.turn(at: hours(2.5))
        #expect(first.decisions.map(\.reason) == [.missed, nil])
        hourly.progress.open = [job]
        hourly.progress.wakeAt = hours(9)
        #expect(times(hourly.turn(at: hours(9), [job: .succeeded])) == [hours(2)])
    }

    @Test func `end with max_runs, and do not run while the schedule is paused`() throws {
        var hourly = try Hourly(#""max_runs": 2,"#, at: start)
        #expect(hourly.run(from: hours(5.5), to: hours(5.9)).map(\.at) == [start, hours(1)])
        #expect(hourly.progress.next == nil)
        var paused = try Hourly(at: start)
        _ = paused.turn(at: hours(3.5))
        paused.progress.open = [job]
        paused.progress.pause = .init(at: hours(3.6), by: "ada", reason: nil)
        let turn = paused.turn(at: hours(3.7), [job: .running])
        #expect(turn.decisions.map(\.reason) == [.paused, .paused, .paused])
        #expect(turn.progress.catchesUpSince == nil)
        var ended = try Hourly(#""ends_at": "2026-11-02T11:00:00Z","#, at: start)
        #expect(ended.run(from: hours(5.5), to: hours(5.9)).map(\.at) == [start, hours(1)])
        #expect(ended.progress.next == nil)
    }

    @Test func `have a bound, after which each is listed`() throws {
        var hourly = try Hourly(at: start)
        hourly.progress.caughtUp = ScheduleTurn.caughtUpMax - 2
        let found = hourly.run(from: hours(5.5), to: hours(5.9))
        #expect(found.map(\.reason) == [nil, nil, .limit, .limit, .limit, .limit])
    }

    @Test func `come back when there was no room for their jobs`() throws {
        var hourly = try Hourly(at: start)
        let turn = hourly.turn(at: hours(1.5))
        #expect(turn.decisions.map(\.waitsSince) == [hours(1.5)])
        var record = ScheduleRecord(
            name: "hourly", version: 1, body: [], updatedAt: start, updatedBy: "ada", progress: turn.progress)
        record.progress.open = [job]
        let time = Occurrence(scheduledFor: start, outcome: .job(job), decidedAt: hours(1.5))
        var planned = ScheduleChange.Planned(time, job: NewJob(record: .init(of: job, at: start), spec: []))
        planned.waitsSince = hours(1.5)
        let change = ScheduleChange(of: 1, to: record, planned: [planned])
        let settled = change.settled(by: [.failure(JobStoreError(.queueFull, "The queue is full."))])
        #expect(settled.occurrences.isEmpty)
        #expect(settled.record.progress.next == start)
        #expect(settled.record.progress.open.isEmpty)
        #expect(settled.record.progress.runs == 0)
        #expect(settled.record.progress.wakeAt == hours(1.5).advanced(by: ScheduleTurn.waitsFor))
        hourly.progress = settled.record.progress
        #expect(times(hourly.turn(at: hours(1.6))) == [start])
    }
}

extension JobRecord {
    fileprivate init(of id: JobID, at time: Timestamp) {
        self.init(
            id: id, name: "hourly", type: "value", queue: "default", priority: 5, labels: [], state: .queued,
            attemptsMax: 1, createdAt: time, keepSucceededMilliseconds: 60_000, keepFailedMilliseconds: 60_000
        )
    }
}
