internal import JobKit
internal import JobSpec
internal import JobStore

/// Settles the planned times of one schedule that are due, and some of its backfill: makes their jobs.
struct ScheduleSettlement {
    /// The steps that making a job counts as.
    private static let stepsOfJob = 20

    /// The work done so far, in planned times that were looked at.
    private(set) var steps = 0
    private var record: ScheduleRecord
    private var planned: [ScheduleChange.Planned] = []
    private let revision: Int64
    private let spec: ScheduleSpec
    private let now: Timestamp
    private let jobs: ScheduledJobs
    private let reader: any JobReader

    init(
        of record: ScheduleRecord, _ spec: ScheduleSpec, at now: Timestamp, jobs: ScheduledJobs,
        _ reader: any JobReader
    ) {
        self.record = record
        revision = record.revision
        self.spec = spec
        self.now = now
        self.jobs = jobs
        self.reader = reader
    }

    private var tenant: Tenant? { Tenant(ofStored: record.name) }

    /// The change to be stored.
    /// - Throws: when the store does not tell what is needed. Nothing is settled then, and all is done in a later turn.
    mutating func change() throws(JobStoreError) -> ScheduleChange {
        let turn = ScheduleTurn(record.progress, spec, at: now, try .read(record, reader, reader))
        steps += turn.looked
        record.progress = turn.progress
        let replaced = try requests(to: turn.replaced)
        do throws(JobStoreError) {
            for decision in turn.decisions { try settle(decision) }
            if let backfill = record.progress.backfill { try settle(backfill) }
        } catch {
            if let tenant { jobs.unmade(planned.compactMap(\.job?.record.id), tenant) }
            throw error
        }
        var change = ScheduleChange(of: revision, to: record, planned: planned)
        change.replaced = replaced
        change.runsMax = spec.runsMax
        return change
    }

    private mutating func settle(_ decision: ScheduleTurn.Decision) throws(JobStoreError) {
        if let reason = decision.reason {
            let outcome = Occurrence.Outcome.skipped(reason, detail: decision.detail)
            planned.append(.init(Occurrence(scheduledFor: decision.at, outcome: outcome, decidedAt: now)))
            return
        }
        var made = try make(decision.at, .plan)
        if let since = decision.waitsSince, case .skipped(.limit, _) = made.occurrence.outcome {
            // It waits for the limits of the tenant.
            return record.progress.putOff(missed: decision.at, since: since, at: now)
        }
        made.waitsSince = decision.waitsSince
        if made.job == nil { record.progress.runs -= 1 }
        planned.append(made)
    }

    private mutating func settle(_ backfill: ScheduleProgress.Backfill) throws(JobStoreError) {
        var settled = try BackfillTurn.settled(
            by: backfill, of: record.name, limit: BackfillTurn.timesMax, reader, reader)
        for made in planned where made.job != nil { settled.add(made: made.occurrence) }
        let turn = BackfillTurn(backfill, spec.plan, at: now, settled: settled)
        steps += turn.looked
        record.progress.backfill = turn.backfill
        if let note = turn.note { record.progress.note = .init(at: now, detail: note) }
        for (index, date) in turn.chosen.enumerated() {
            var made = try make(date, .backfill)
            if case .skipped(.limit, _) = made.occurrence.outcome {
                // The rest waits for the limits of the tenant.
                record.progress.backfill?.next = date
                record.progress.backfill?.made -= turn.chosen.count - index
                break
            }
            made.replaces = true
            planned.append(made)
        }
        if let wakeAt = turn.wakeAt {
            record.progress.wakeAt = min(record.progress.wakeAt ?? wakeAt, wakeAt)
        }
    }

    private mutating func make(
        _ date: Timestamp, _ origin: Occurrence.Origin
    ) throws(JobStoreError) -> ScheduleChange.Planned {
        steps += Self.stepsOfJob
        let tenant = tenant
        let make = jobs.make
        let seen: any JobReader = if let tenant { TenantReader(reader, tenant) } else { reader }
        switch try make(spec, tenant, date, seen) {
        case .success(let job):
            let id = job.record.id
            if origin == .backfill {
                record.progress.backfill?.open.append(id)
            } else if spec.watchesJobs {
                record.progress.open.append(id)
            }
            return .init(
                Occurrence(scheduledFor: date, origin: origin, outcome: .job(id), decidedAt: now), job: job)
        case .failure(let error):
            let outcome = Occurrence.Outcome.skipped(error.reason, detail: error.detail)
            return .init(Occurrence(scheduledFor: date, origin: origin, outcome: outcome, decidedAt: now))
        }
    }

    /// The requests that cancel the jobs which give way.
    private func requests(to ids: [JobID]) throws(JobStoreError) -> [CancelRequest] {
        var requests: [CancelRequest] = []
        for id in ids {
            guard let job = try reader.job(id), !job.state.isFinal else { continue }
            requests.append(jobs.replacing(job, tenant?.shown(record.name) ?? record.name))
        }
        return requests
    }
}
