import JobKit
import JobStore

/// Schedules; see `ScheduleTable`.
extension MemoryLedger {
    /// A schedule with its occurrences.
    struct Schedule: Sendable {
        var record: ScheduleRecord
        var occurrences: [Timestamp: Occurrence] = [:]
    }

    mutating func store(_ change: ScheduleChange) throws(JobStoreError) -> ScheduleReceipt {
        if let receipt = ScheduleReceipt(of: change, replay: change.request.flatMap(outcome(known:))) {
            return receipt
        }
        let name = change.record.name
        var schedule = schedules[name]
        guard schedule?.record.revision == change.expected else { throw .scheduleMoved(name) }
        if schedule == nil, schedules.count >= limits.schedulesMax {
            throw .schedulesFull(limits.schedulesMax)
        }
        for planned in change.planned where !planned.replaces {
            let time = planned.occurrence.scheduledFor
            if schedule?.occurrences[time] != nil { throw .occurrenceTaken(time) }
        }
        var outcomes: [Result<SubmitOutcome, JobStoreError>] = []
        var stopping: [RunRequest] = []
        for job in change.planned.compactMap(\.job) {
            do throws(JobStoreError) {
                let outcome = try submit(job)
                if case .replacing(_, let others) = outcome { stopping += others }
                outcomes.append(.success(outcome))
            } catch {
                outcomes.append(.failure(error))
            }
        }
        stopping += try run { [outcomes] in .success($0.cancelReplaced(in: change, by: outcomes)) }
        let (record, occurrences) = change.settled(by: outcomes)
        var stored = schedule ?? Schedule(record: record)
        stored.record = record
        for occurrence in occurrences { stored.occurrences[occurrence.scheduledFor] = occurrence }
        schedule = stored
        schedules[name] = schedule
        return ScheduleReceipt(record: record, occurrences: occurrences, stopping: stopping)
    }

    mutating func removeSchedule(_ name: String, revision: Int64) throws(JobStoreError) {
        guard let known = schedules[name] else { throw .noSchedule(name) }
        guard known.record.revision == revision else { throw .scheduleMoved(name) }
        schedules[name] = nil
    }

    mutating func removeOccurrences(before time: Timestamp, limit: Int) -> Int {
        var removed = 0
        for (name, schedule) in schedules {
            for (planned, occurrence) in schedule.occurrences
            where occurrence.decidedAt < time && removed < limit {
                schedules[name]?.occurrences[planned] = nil
                removed += 1
            }
        }
        return removed
    }

    func occurrences(of name: String, _ query: OccurrenceQuery) -> [Occurrence] {
        let inside = (schedules[name]?.occurrences.values).map(Array.init) ?? []
        let found = inside.filter { $0.scheduledFor >= query.from && $0.scheduledFor <= query.to }
            .sorted { $0.scheduledFor < $1.scheduledFor }
        return Array((query.isLatestFirst ? found.reversed() : found).prefix(StoreRange.batch(query.limit)))
    }
}
