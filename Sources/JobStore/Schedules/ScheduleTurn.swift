package import JobKit
package import JobSpec

/// The decisions about the planned times of one schedule that are due.
///
/// A value of the stored progress, the time and some facts: nothing else decides what runs.
package struct ScheduleTurn: Sendable {
    /// The lateness up to which a planned time counts as in time.
    package static let grace = Duration.seconds(10)
    /// The maximum number of planned times settled in one turn.
    package static let timesMax = 500
    /// The maximum number of jobs made in one turn.
    package static let jobsMax = 50
    /// The maximum number of late planned times in a row whose jobs are made (`missed: all`).
    package static let caughtUpMax = 1_000
    /// The shortest interval at which a missed planned time that waits for earlier jobs is looked at again, as in a
    /// backfill, and the longest.
    package static let waitsFor = BackfillTurn.waitsFor
    package static let waitsMax = Duration.seconds(60)
    /// The age beyond which missed planned times are not listed one by one.
    package static let keep = Duration.seconds(30 * 86_400)
    /// The interval at which a paused schedule settles its planned times.
    package static let pausedEvery = Duration.seconds(60)

    /// The maximum number of unfinished jobs of a schedule whose ends are watched. All are known, since whether jobs
    /// overlap depends on each: so with this many, none is made.
    package static let openMax = 1_000
    /// For people: the reason why a schedule with so many unfinished jobs makes none.
    package static let openRefusal =
        "\(openMax) jobs of the schedule have not ended, which is the limit for schedules with overlap other than "
        + "allow, or with pause_after_failures. Cancel some, or let them end."

    /// The facts that a turn needs.
    package struct Facts: Sendable {
        /// The jobs in `open` and their states; those that were erased are absent.
        package var states: [JobID: JobState]
        /// The planned times from `next` on that are settled already.
        package var settled: Set<Timestamp>

        package init(states: [JobID: JobState] = [:], settled: Set<Timestamp> = []) {
            self.states = states
            self.settled = settled
        }

        /// The facts about a stored schedule.
        package static func read(
            _ record: ScheduleRecord, _ schedules: any ScheduleReads, _ jobs: any JobReads
        ) throws(JobStoreError) -> Facts {
            var facts = Facts()
            for id in record.progress.open + (record.progress.backfill?.open ?? []) {
                if let job = try jobs.job(id) { facts.states[id] = job.state }
            }
            if let next = record.progress.next {
                var query = OccurrenceQuery(limit: ScheduleTurn.timesMax * 2)
                query.from = next
                query.isLatestFirst = false
                let found = try schedules.occurrences(of: record.name, query)
                facts.settled = Set(found.map(\.scheduledFor))
            }
            return facts
        }
    }

    /// The decision about one planned time.
    package struct Decision: Sendable, Hashable {
        package var at: Timestamp
        /// Nil makes a job.
        package var reason: Occurrence.Reason?
        package var detail: String?
        /// The time since which it waits for its job with other missed ones; nil when it does not wait.
        package var waitsSince: Timestamp?
    }

    /// The progress after the turn; the jobs to be made are not in `open` yet. With the last job of `max_runs` it is
    /// not over yet: the store may refuse this job, so `ScheduleChange` ends it.
    package private(set) var progress: ScheduleProgress
    /// In the order of the planned times.
    package private(set) var decisions: [Decision] = []
    /// Unfinished jobs that give way to the new one.
    package private(set) var replaced: [JobID] = []
    /// The number of planned times that were looked at.
    package private(set) var looked = 0
    private var made = 0
    /// Whether the next planned time was missed, and waits for the jobs of earlier ones.
    private var isWaiting = false
    private let spec: ScheduleSpec
    private let now: Timestamp
    private let facts: Facts

    package init(_ progress: ScheduleProgress, _ spec: ScheduleSpec, at now: Timestamp, _ facts: Facts) {
        self.progress = progress
        self.spec = spec
        self.now = now
        self.facts = facts
        self.progress.noteEnds(facts.states)
        pauseAfterFailures()
        followZone()
        followAbsence()
        settle()
        rest()
    }

    /// The progress of a schedule that begins, or whose spec has changed: from `now` on.
    package static func beginning(
        _ spec: ScheduleSpec, after earlier: ScheduleProgress?, at now: Timestamp, by: String
    ) -> ScheduleProgress {
        var progress = earlier ?? ScheduleProgress()
        let slot = spec.plan.next(after: now)
        progress.next = slot?.at
        progress.wakeAt = slot?.dueAt
        progress.catchesUpSince = nil
        switch spec.isPaused {
        case true: progress.pause = progress.pause ?? .init(at: now, by: by, reason: nil)
        case false: progress.resume()
        case nil: break
        }
        if earlier != nil {
            progress.note = .init(at: now, detail: "The spec was changed: planned times count from then on.")
        }
        if let most = spec.runsMax, progress.runs >= most { progress.end() }
        if progress.backfill != nil { progress.wakeAt = now }
        return progress
    }

    private var isPaused: Bool { progress.pause != nil }

    private mutating func pauseAfterFailures() {
        guard !isPaused, let most = spec.failuresMax, progress.failures >= most else { return }
        let jobs = most == 1 ? "A job failed" : "\(progress.failures) jobs in a row failed"
        progress.pause = .init(at: now, by: nil, reason: "\(jobs) (pause_after_failures: \(most)).")
    }

    /// Plans anew when the next time is none any more, since the data of the time zone have changed.
    private mutating func followZone() {
        guard let next = progress.next, next > now, !spec.plan.contains(next) else { return }
        progress.next = spec.plan.next(after: now)?.at
        progress.note = .init(
            at: now,
            detail: "\(next) is no planned time any more, since the data of the time zone \(spec.zone) have "
                + "changed: planned times count from now on.")
    }

    /// Counts what passed while no server looked as missed, too, if the servers stopped while jobs were made up.
    private mutating func followAbsence() {
        guard progress.catchesUpSince != nil, let wakeAt = progress.wakeAt else { return }
        if now.since(wakeAt) > Self.grace { progress.catchesUpSince = now }
    }

    /// Whether it has as many jobs as it may, with those of this turn.
    private var hasAllRuns: Bool { spec.runsMax.map { progress.runs >= $0 } ?? false }

    private mutating func settle() {
        if hasAllRuns { return progress.end() }
        skipAncient()
        while looked < Self.timesMax, made < Self.jobsMax, !hasAllRuns, let slot = slot, slot.dueAt <= now {
            looked += 1
            let following = spec.plan.next(after: slot.at)
            if !facts.settled.contains(slot.at) {
                let isLatest = following.map { $0.dueAt > now } ?? true
                isWaiting = !decide(slot, isLatest: isLatest)
                if isWaiting { return }
            }
            progress.next = following?.at
        }
    }

    /// The next planned time. One that the plan does not have any more keeps its date.
    private var slot: SchedulePlan.Slot? {
        guard let next = progress.next else { return nil }
        let slot = spec.plan.next(after: next.advanced(by: .milliseconds(-1)))
        return slot?.at == next ? slot : SchedulePlan.Slot(at: next, dueAt: next, isExcluded: false)
    }

    /// Goes on from the oldest planned time that is still listed.
    private mutating func skipAncient() {
        let oldest = now.advanced(by: .zero - Self.keep)
        guard let next = progress.next, next < oldest else { return }
        progress.next = spec.plan.next(after: oldest)?.at
        progress.note = .init(
            at: now,
            detail:
                "The planned times from \(next) to \(oldest) were missed and are not listed, since they are older "
                + "than 30 days.")
    }

    /// Decides about a planned time.
    /// - Returns: false when it waits for the jobs of earlier ones.
    private mutating func decide(_ slot: SchedulePlan.Slot, isLatest: Bool) -> Bool {
        if slot.isExcluded {
            skip(slot, .excluded, "The day is an exception (except).")
        } else if let pause = progress.pause {
            skip(slot, .paused, pause.reason ?? "The schedule is paused.")
        } else if now.since(slot.dueAt) <= Self.grace {
            progress.caughtUp = 0
            overlap(slot)
        } else {
            return decideMissed(slot, isLatest: isLatest)
        }
        return true
    }

    /// The same for one that is late. Lateness counts up to the time at which it was noticed: what came while missed
    /// ones were made up was not missed.
    private mutating func decideMissed(_ slot: SchedulePlan.Slot, isLatest: Bool) -> Bool {
        let noticed = progress.catchesUpSince ?? now
        let lateness = noticed.since(slot.dueAt)
        let late = "It was noticed \(DurationText.text(.seconds(lateness.components.seconds))) late"
        let isWanted = spec.missed.run == .all || spec.missed.run == .latest && isLatest
        if lateness <= Self.grace {
            overlap(slot)
        } else if !isWanted {
            skip(slot, .missed, late + " (missed: \(spec.missed.run.rawValue)).")
        } else if lateness > spec.missed.within {
            skip(slot, .missed, late + " (within: \(DurationText.text(spec.missed.within))).")
        } else if progress.caughtUp >= Self.caughtUpMax {
            skip(slot, .limit, "At most \(Self.caughtUpMax) planned times in a row are caught up.")
        } else {
            if spec.makesUpInTurn {
                progress.catchesUpSince = noticed
                if progress.open.count + made >= spec.unfinishedMax { return false }
            }
            progress.caughtUp += 1
            overlap(slot, since: progress.catchesUpSince)
        }
        return true
    }

    private mutating func overlap(_ slot: SchedulePlan.Slot, since waitsSince: Timestamp? = nil) {
        let unfinished = progress.open.count + made
        switch spec.overlap {
        case .skip where unfinished >= spec.unfinishedMax: return skip(slot, .overlap, holder)
        case .wait where unfinished >= spec.unfinishedMax:
            return skip(slot, .overlap, "A job waits already.")
        case .replace where made > 0: dropMade()
        case .replace: replaced = progress.open
        case _ where spec.watchesJobs && unfinished >= Self.openMax:
            return skip(slot, .limit, Self.openRefusal)
        default: break
        }
        progress.runs += 1
        made += 1
        decisions.append(Decision(at: slot.at, waitsSince: waitsSince))
    }

    /// Has the planned time of this turn that would get a job give way to a later one.
    private mutating func dropMade() {
        guard let place = decisions.lastIndex(where: { $0.reason == nil }) else { return }
        let detail = "A later planned time replaces it."
        decisions[place] = Decision(at: decisions[place].at, reason: .overlap, detail: detail)
        progress.runs -= 1
        made -= 1
    }

    /// Names the job that has not ended: one made before, or in this turn.
    private var holder: String {
        if let made = decisions.last(where: { $0.reason == nil }) {
            return "The job of \(made.at) has not ended."
        }
        return progress.open.last.map { "\($0) has not ended." } ?? ""
    }

    private mutating func skip(
        _ slot: SchedulePlan.Slot, _ reason: Occurrence.Reason, _ detail: String
    ) {
        decisions.append(Decision(at: slot.at, reason: reason, detail: detail))
    }

    /// Sets the time of the next turn.
    private mutating func rest() {
        guard let slot else {
            progress.catchesUpSince = nil
            return progress.wakeAt = nil
        }
        let isDue = slot.dueAt <= now
        if isWaiting {
            noteWait(from: slot.at)
            return progress.wakeAt = now.advanced(by: patience)
        }
        if !isDue || isPaused { progress.catchesUpSince = nil }
        // A date in the past would look as if no server had been there.
        if progress.catchesUpSince != nil { return progress.wakeAt = now }
        progress.wakeAt =
            isPaused && !isDue ? max(slot.dueAt, now.advanced(by: Self.pausedEvery)) : slot.dueAt
    }

    /// A tenth of the age of the job that is waited for: each look is a write, and very many schedules may wait.
    private var patience: Duration {
        guard made == 0, let job = progress.open.last else { return Self.waitsFor }
        return min(max(now.since(job.createdAt) / 10, Self.waitsFor), Self.waitsMax)
    }

    /// Says once why the next planned time has passed.
    private mutating func noteWait(from next: Timestamp) {
        guard let noticed = progress.catchesUpSince, progress.note?.at != noticed else { return }
        progress.note = .init(
            at: noticed,
            detail: "Planned times were missed. Those from \(next) on get their jobs one after the other "
                + "(missed: all), when the earlier jobs have ended.")
    }
}

extension ScheduleSpec {
    /// Whether missed planned times wait for each other's jobs.
    fileprivate var makesUpInTurn: Bool { missed.run == .all && (overlap == .skip || overlap == .wait) }

    /// The number of unfinished jobs with which a planned time gets none, if `overlap` is `skip` or `wait`.
    fileprivate var unfinishedMax: Int { overlap == .wait ? 2 : 1 }
}

extension ScheduleProgress {
    /// Counts the jobs that have ended, and forgets them.
    package mutating func noteEnds(_ states: [JobID: JobState]) {
        open.removeAll { id in
            guard let state = states[id] else { return true }
            if state == .failed || state == .expired { failures += 1 }
            if state == .succeeded { failures = 0 }
            return state.isFinal
        }
        backfill?.open.removeAll { states[$0]?.isFinal ?? true }
    }

    /// Whether planned times are to be settled at once.
    package func isBehind(at now: Timestamp) -> Bool {
        guard let next, next <= now else { return false }
        return catchesUpSince == nil || wakeAt.map { $0 <= now } ?? false
    }

    /// Comes back to a missed planned time for whose job there was no room. Later ones that are settled stay so.
    package mutating func putOff(missed time: Timestamp, since: Timestamp, at now: Timestamp) {
        next = min(next ?? time, time)
        catchesUpSince = since
        wakeAt = now.advanced(by: ScheduleTurn.waitsFor)
        runs -= 1
        caughtUp -= 1
    }

    /// Ends a pause. Failures are counted anew.
    package mutating func resume() {
        if pause != nil { failures = 0 }
        pause = nil
    }

    /// Goes on with the first planned time after `now`, when those before are more than a change can settle.
    package mutating func passOver(to now: Timestamp, of plan: SchedulePlan) {
        guard let next, next <= now else { return }
        note = .init(
            at: now,
            detail: "The planned times from \(next) to \(now) were not decided before the schedule was "
                + "changed, and are not listed, since they are too many.")
        self.next = plan.next(after: now)?.at
        catchesUpSince = nil
    }

    /// Ends the schedule: nothing is planned any more. A backfill goes on.
    mutating func end() {
        next = nil
        catchesUpSince = nil
        if backfill == nil { wakeAt = nil }
    }
}
