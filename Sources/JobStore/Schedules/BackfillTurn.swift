package import JobKit
package import JobSpec

/// The decisions of a backfill: the next planned times of the past that get a job, as many as may run.
package struct BackfillTurn: Sendable {
    /// The maximum number of planned times looked at in one turn.
    package static let timesMax = 500
    /// The maximum number of planned times in the range of one backfill.
    package static let plannedMax = 100_000
    /// The pause after a turn that found nothing to do: other schedules and changes of this one come in between.
    package static let pausesFor = Duration.milliseconds(50)
    /// The interval at which a backfill that waits for its jobs looks again.
    package static let waitsFor = Duration.seconds(1)

    /// The occurrences that a backfill comes to.
    package struct Settled: Sendable {
        /// Each with the state of its job, by their planned times.
        fileprivate var occurrences: [Timestamp: (Occurrence, JobState?)]
        /// The planned time of the last one that was read, if there may be more; nothing is known about later ones.
        let readTo: Timestamp?

        package init(_ occurrences: [Timestamp: (Occurrence, JobState?)] = [:], readTo: Timestamp? = nil) {
            self.occurrences = occurrences
            self.readTo = readTo
        }

        /// Adds a planned time that gets its job in the same transaction.
        package mutating func add(made occurrence: Occurrence) {
            occurrences[occurrence.scheduledFor] = (occurrence, .queued)
        }
    }

    /// The backfill after the turn; the jobs to be made are not in `open` yet. Nil when it is over and its jobs have
    /// ended.
    package private(set) var backfill: ScheduleProgress.Backfill?
    /// The planned times that get a job.
    package private(set) var chosen: [Timestamp] = []
    /// The time of the next turn; nil when it is over.
    package private(set) var wakeAt: Timestamp?
    /// For people: why it ends before its range does.
    package private(set) var note: String?
    /// The number of planned times that were looked at.
    package private(set) var looked = 0

    /// - Parameters:
    ///   - settled: the occurrences from `next` on.
    package init(
        _ backfill: ScheduleProgress.Backfill, _ plan: SchedulePlan, at now: Timestamp, settled: Settled
    ) {
        var backfill = backfill
        var isOver = false
        var goesOn = false
        while looked < Self.timesMax, backfill.open.count + chosen.count < backfill.concurrency {
            let slot = plan.next(after: backfill.next.advanced(by: .milliseconds(-1)))
            guard let slot, slot.at <= backfill.to else {
                isOver = true
                break
            }
            if let readTo = settled.readTo, slot.at > readTo {
                // The next turn reads on from there, so that each comes further.
                backfill.next = readTo.advanced(by: .milliseconds(1))
                goesOn = true
                break
            }
            if backfill.looked + backfill.made + looked >= Self.plannedMax {
                note = Self.note(endingBefore: slot.at)
                backfill.to = backfill.next.advanced(by: .milliseconds(-1))
                isOver = true
                break
            }
            looked += 1
            backfill.next = slot.at.advanced(by: .milliseconds(1))
            goesOn = looked == Self.timesMax
            if !slot.isExcluded, Self.isWanted(slot.at, of: backfill, settled, at: now) {
                chosen.append(slot.at)
            }
        }
        backfill.made += chosen.count
        // Otherwise it may come back to them.
        if chosen.isEmpty { backfill.looked += looked }
        if isOver && chosen.isEmpty && backfill.open.isEmpty { return }
        self.backfill = backfill
        // There may be no room for the jobs, which are then tried again.
        wakeAt = now.advanced(by: goesOn && chosen.isEmpty ? Self.pausesFor : Self.waitsFor)
    }

    /// A range is counted before its backfill begins, so this one grew by a change of the schedule.
    private static func note(endingBefore time: Timestamp) -> String {
        "The backfill ended before \(time), since its range has more than \(plannedMax) planned times by the changed "
            + "spec. Start another one from there for the rest."
    }

    /// Whether a planned time gets a job. A long backfill can come to one whose occurrence has been removed meanwhile:
    /// whether that had a job is not known any more.
    static func isWanted(
        _ time: Timestamp, of backfill: ScheduleProgress.Backfill, _ settled: Settled, at now: Timestamp
    ) -> Bool {
        let only = backfill.only
        guard let (occurrence, state) = settled.occurrences[time] else {
            return only == .all || only == .missing && time >= now.advanced(by: .zero - ScheduleTurn.keep)
        }
        if occurrence.job == nil { return only != .failed }
        return switch only {
        case .missing: false
        case .failed: state == .failed || state == .expired
        case .all: state?.isFinal ?? true
        }
    }

    /// The occurrences that a backfill comes to, at most `limit` (1…10,000).
    package static func settled(
        by backfill: ScheduleProgress.Backfill, of name: String, limit: Int, _ schedules: any ScheduleReads,
        _ jobs: any JobReads
    ) throws(JobStoreError) -> Settled {
        var query = OccurrenceQuery(limit: limit)
        query.from = backfill.next
        query.to = backfill.to
        query.isLatestFirst = false
        let found = try schedules.occurrences(of: name, query)
        var settled = Settled(readTo: found.count < limit ? nil : found.last?.scheduledFor)
        for occurrence in found {
            var state: JobState?
            if let id = occurrence.job { state = try jobs.job(id)?.state }
            settled.occurrences[occurrence.scheduledFor] = (occurrence, state)
        }
        return settled
    }
}
