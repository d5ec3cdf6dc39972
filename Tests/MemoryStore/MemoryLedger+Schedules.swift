import JobKit
import JobStore

/// Schedules.
extension MemoryLedger {
    /// A schedule with its occurrences.
    struct Schedule: Sendable {
        let number: Int64
        var record: ScheduleRecord
        var occurrences: [Timestamp: Occurrence] = [:]
    }

    func occurrences(of name: String, _ query: OccurrenceQuery) -> [Occurrence] {
        let inside = (schedules[name]?.occurrences.values).map(Array.init) ?? []
        let found = inside.filter { $0.scheduledFor >= query.from && $0.scheduledFor <= query.to }
            .sorted { $0.scheduledFor < $1.scheduledFor }
        return Array((query.isLatestFirst ? found.reversed() : found).prefix(StoreRange.batch(query.limit)))
    }
}

/// The schedules of a ledger in a transaction.
struct MemorySchedules: ScheduleRows {
    let transaction: MemoryTransaction

    private func name(of number: Int64) -> String? {
        transaction.ledger.schedules.first { $0.value.number == number }?.key
    }

    func place(of name: String, isNew: Bool) -> (number: Int64, revision: Int64)? {
        transaction.ledger.schedules[name].map { ($0.number, $0.record.revision) }
    }

    func count() -> Int { transaction.ledger.schedules.count }

    func firstTaken(of times: [Timestamp], _ number: Int64) -> Timestamp? {
        let schedule = name(of: number).flatMap { transaction.ledger.schedules[$0] }
        return times.first { schedule?.occurrences[$0] != nil }
    }

    func put(_ occurrences: [Occurrence], of number: Int64) {
        guard let name = name(of: number) else { return }
        for occurrence in occurrences {
            transaction.ledger.schedules[name]?.occurrences[occurrence.scheduledFor] = occurrence
        }
    }

    func remove(number: Int64) {
        if let name = name(of: number) { transaction.ledger.schedules[name] = nil }
    }

    func removeOccurrences(before time: Timestamp, limit: Int) -> Int {
        var removed = 0
        for (name, schedule) in transaction.ledger.schedules {
            for (planned, occurrence) in schedule.occurrences
            where occurrence.decidedAt < time && removed < limit {
                transaction.ledger.schedules[name]?.occurrences[planned] = nil
                removed += 1
            }
        }
        return removed
    }
}
