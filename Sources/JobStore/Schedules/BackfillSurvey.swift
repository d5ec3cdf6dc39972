package import JobKit
package import JobSpec

/// A look through the range of a backfill before it begins, in slices: whether it holds more planned times than one
/// backfill may have, and the first ones that would get a job.
package struct BackfillSurvey: Sendable {
    /// The maximum number of planned times looked at in one slice.
    package static let sliceMax = 1_000

    /// The first planned times that would get a job, when all were counted.
    package private(set) var times: [Timestamp] = []
    /// Whether more would get one.
    package private(set) var hasMore = false
    /// The last planned time within the limit; nil when the range does not exceed it.
    package private(set) var limit: Timestamp?
    /// The number of planned times that were looked at so far, to count them and to list them.
    package private(set) var looked = 0
    private var backfill: ScheduleProgress.Backfill
    private let start: Timestamp
    private let listedMax: Int
    private var isCounted = false

    /// - Parameter listedMax: the maximum number of `times`; 0 only counts the planned times.
    package init(_ backfill: ScheduleProgress.Backfill, listing listedMax: Int = 0) {
        self.backfill = backfill
        start = backfill.next
        self.listedMax = listedMax
    }

    /// Looks at the next slice. Returns whether there are more.
    package mutating func goOn(
        _ plan: SchedulePlan, of name: String, at now: Timestamp, _ schedules: any ScheduleReads,
        _ jobs: any JobReads
    ) throws(JobStoreError) -> Bool {
        if !isCounted { return count(plan) }
        let settled = try BackfillTurn.settled(
            by: backfill, of: name, limit: BackfillTurn.timesMax, schedules, jobs)
        return list(plan, at: now, settled)
    }

    private mutating func count(_ plan: SchedulePlan) -> Bool {
        for _ in 0..<Self.sliceMax {
            let last = backfill.next.advanced(by: .milliseconds(-1))
            guard let time = plan.time(after: last), time <= backfill.to else {
                isCounted = true
                backfill.next = start
                return listedMax > 0
            }
            if looked == BackfillTurn.plannedMax {
                limit = last
                return false
            }
            looked += 1
            backfill.next = time.advanced(by: .milliseconds(1))
        }
        return true
    }

    private mutating func list(
        _ plan: SchedulePlan, at now: Timestamp, _ settled: BackfillTurn.Settled
    ) -> Bool {
        for _ in 0..<Self.sliceMax {
            let slot = plan.next(after: backfill.next.advanced(by: .milliseconds(-1)))
            guard let slot, slot.at <= backfill.to else { return false }
            if let readTo = settled.readTo, slot.at > readTo {
                backfill.next = readTo.advanced(by: .milliseconds(1))
                return true
            }
            looked += 1
            backfill.next = slot.at.advanced(by: .milliseconds(1))
            guard !slot.isExcluded, BackfillTurn.isWanted(slot.at, of: backfill, settled, at: now) else {
                continue
            }
            if times.count == listedMax {
                hasMore = true
                return false
            }
            times.append(slot.at)
        }
        return true
    }
}
