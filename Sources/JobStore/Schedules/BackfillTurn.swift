package import JobKit
package import JobSpec

/// The decisions of a backfill: the next planned times of the past that get a job, as many as may run.
package struct BackfillTurn: Sendable {
    /// The maximum number of planned times looked at in one turn.
    package static let timesMax = 500
    /// The interval at which a backfill that waits for its jobs looks again.
    package static let waitsFor = Duration.seconds(1)

    /// The backfill after the turn; the jobs to be made are not in `open` yet. Nil when it is over and its jobs have
    /// ended.
    package private(set) var backfill: ScheduleProgress.Backfill?
    /// The planned times that get a job.
    package private(set) var chosen: [Timestamp] = []
    /// The time of the next turn; nil when it is over.
    package private(set) var wakeAt: Timestamp?

    /// - Parameters:
    ///   - settled: the occurrences from `next` on, and the state of the job of each.
    package init(
        _ backfill: ScheduleProgress.Backfill, _ plan: SchedulePlan, at now: Timestamp,
        settled: [Timestamp: (Occurrence, JobState?)]
    ) {
        var backfill = backfill
        var looked = 0
        var isOver = false
        while looked < Self.timesMax, backfill.open.count + chosen.count < backfill.concurrency {
            let slot = plan.next(after: backfill.next.advanced(by: .milliseconds(-1)))
            guard let slot, slot.at <= backfill.to else {
                isOver = true
                break
            }
            looked += 1
            backfill.next = slot.at.advanced(by: .milliseconds(1))
            if !slot.isExcluded, Self.isWanted(backfill.only, settled[slot.at]) { chosen.append(slot.at) }
        }
        backfill.made += chosen.count
        if isOver && chosen.isEmpty && backfill.open.isEmpty { return }
        self.backfill = backfill
        wakeAt = looked == Self.timesMax ? now : now.advanced(by: Self.waitsFor)
    }

    private static func isWanted(
        _ only: ScheduleProgress.Backfill.Only, _ known: (Occurrence, JobState?)?
    ) -> Bool {
        guard let (occurrence, state) = known, occurrence.job != nil else { return only != .failed }
        return switch only {
        case .missing: false
        case .failed: state == .failed || state == .expired
        case .all: state?.isFinal ?? true
        }
    }

    /// The planned times that a backfill would make jobs for, and whether there are more than `limit`.
    package static func preview(
        _ backfill: ScheduleProgress.Backfill, _ plan: SchedulePlan, limit: Int,
        settled: [Timestamp: (Occurrence, JobState?)]
    ) -> (times: [Timestamp], isCut: Bool) {
        var times: [Timestamp] = []
        var from = backfill.next.advanced(by: .milliseconds(-1))
        while let slot = plan.next(after: from), slot.at <= backfill.to {
            if times.count == limit { return (times, true) }
            if !slot.isExcluded, isWanted(backfill.only, settled[slot.at]) { times.append(slot.at) }
            from = slot.at
        }
        return (times, false)
    }

    /// The occurrences that a backfill comes to, and the state of the job of each.
    package static func settled(
        by backfill: ScheduleProgress.Backfill, of name: String, limit: Int, _ schedules: any ScheduleReads,
        _ jobs: any JobReads
    ) throws(JobStoreError) -> [Timestamp: (Occurrence, JobState?)] {
        var query = OccurrenceQuery(limit: limit)
        query.from = backfill.next
        query.to = backfill.to
        query.isLatestFirst = false
        var settled: [Timestamp: (Occurrence, JobState?)] = [:]
        for occurrence in try schedules.occurrences(of: name, query) {
            var state: JobState?
            if let id = occurrence.job { state = try jobs.job(id)?.state }
            settled[occurrence.scheduledFor] = (occurrence, state)
        }
        return settled
    }
}
