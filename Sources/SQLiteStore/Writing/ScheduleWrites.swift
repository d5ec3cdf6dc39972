import JobKit
import JobStore

/// Changes of schedules, each with its planned times and their jobs.
struct ScheduleWrites {
    let session: WriterSession

    private var schedules: ScheduleTable { session.schedules }

    func store(_ change: ScheduleChange) throws(SQLiteFailure) -> Result<ScheduleReceipt, JobStoreError> {
        let replay = try change.request.flatMap { job throws(SQLiteFailure) in try session.outcome(known: job)
        }
        if let receipt = ScheduleReceipt(of: change, replay: replay) { return .success(receipt) }
        let known = try schedules.place(of: change.record.name)
        guard known?.revision == change.expected else { return .failure(.scheduleMoved(change.record.name)) }
        if let known {
            for planned in change.planned where !planned.replaces {
                let time = planned.occurrence.scheduledFor
                if try schedules.isTaken(time, of: known.number) { return .failure(.occurrenceTaken(time)) }
            }
        } else if let refusal = try schedules.refusal() {
            return .failure(refusal)
        }
        // The planned times wait until there is space: a refused job would count as left out.
        if let shortage = session.shortage, change.planned.contains(where: { $0.job != nil }) {
            return .failure(shortage)
        }
        var outcomes: [Result<SubmitOutcome, JobStoreError>] = []
        var stopping: [RunRequest] = []
        for job in change.planned.compactMap(\.job) {
            try session.insertRows()
            let outcome = try session.submit(job)
            if case .success(.replacing(_, let others)) = outcome { stopping += others }
            outcomes.append(outcome)
        }
        if !change.replaced.isEmpty { try session.insertRows() }
        stopping += try session.cancelReplaced(in: change, by: outcomes)
        let (record, occurrences) = change.settled(by: outcomes)
        let number = try schedules.put(record, number: known?.number)
        try schedules.put(occurrences, of: number)
        return .success(ScheduleReceipt(record: record, occurrences: occurrences, stopping: stopping))
    }

    func remove(
        _ name: String, revision: Int64
    ) throws(SQLiteFailure) -> Result<Void, JobStoreError> {
        guard let known = try schedules.place(of: name) else { return .failure(.noSchedule(name)) }
        guard known.revision == revision else { return .failure(.scheduleMoved(name)) }
        try schedules.remove(number: known.number)
        return .success(())
    }
}
