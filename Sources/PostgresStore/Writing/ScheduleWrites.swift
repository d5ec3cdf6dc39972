import JobKit
import JobStore

/// Changes of schedules, each with its planned times and their jobs.
struct ScheduleWrites {
    let unit: WorkUnit

    private var schedules: ScheduleTable { unit.tables.schedules }

    func store(_ change: ScheduleChange) throws(PostgresFailure) -> Result<ScheduleReceipt, JobStoreError> {
        let replay = try change.request.flatMap { job throws(PostgresFailure) in try unit.outcome(known: job)
        }
        if let receipt = ScheduleReceipt(of: change, replay: replay) { return .success(receipt) }
        let name = change.record.name
        var known = try schedules.place(of: name)
        if known == nil, change.expected == nil {
            let count = try schedules.lockForInsert()
            known = try schedules.place(of: name)
            if known == nil, count >= unit.limits.schedulesMax {
                return .failure(.schedulesFull(unit.limits.schedulesMax))
            }
        }
        guard known?.revision == change.expected else { return .failure(.scheduleMoved(name)) }
        let times = change.planned.filter { !$0.replaces }.map(\.occurrence.scheduledFor)
        if let known, let time = try schedules.firstTaken(of: times, known.number) {
            return .failure(.occurrenceTaken(time))
        }
        var outcomes: [Result<SubmitOutcome, JobStoreError>] = []
        var stopping: [RunRequest] = []
        for job in change.planned.compactMap(\.job) {
            let outcome = try unit.submit(job)
            if case .success(.replacing(_, let others)) = outcome { stopping += others }
            outcomes.append(outcome)
        }
        stopping += try unit.cancelReplaced(in: change, by: outcomes)
        let (record, occurrences) = change.settled(by: outcomes)
        let number = known?.number ?? unit.numbers.next(at: record.updatedAt)
        try schedules.put(record, number: number)
        try schedules.put(occurrences, of: number)
        return .success(ScheduleReceipt(record: record, occurrences: occurrences, stopping: stopping))
    }

    func remove(
        _ name: String, revision: Int64
    ) throws(PostgresFailure) -> Result<Void, JobStoreError> {
        guard let known = try schedules.place(of: name) else { return .failure(.noSchedule(name)) }
        guard known.revision == revision else { return .failure(.scheduleMoved(name)) }
        try schedules.remove(number: known.number)
        return .success(())
    }
}
