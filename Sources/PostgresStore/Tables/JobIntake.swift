import JobKit
import JobStore

// DESIGN
// New jobs are stored in groups, with one transaction and four statements for all of them, whatever their number: keys,
// jobs, tickets, labels. The database alone decides which job has a key or an id, so any number of servers can submit
// at once: of two requests with one key, the second waits until the first is durable and then finds it.

/// Stores new jobs.
struct JobIntake {
    private let connection: PostgresConnection
    private let jobs: JobTable
    private let keys: IdempotencyTable

    init(_ connection: PostgresConnection) {
        self.connection = connection
        jobs = JobTable(connection)
        keys = IdempotencyTable(connection)
    }

    /// Stores new jobs, or finds those that their idempotency keys made; the outcome of each.
    /// - Parameter numbers: makes the numbers of the jobs.
    func submit(
        _ group: [NewJob], _ numbers: inout JobNumbers
    ) throws(PostgresFailure) -> [Result<SubmitOutcome, JobStoreError>] {
        let stored = group.map { StoredJob($0, number: numbers.next(at: $0.record.createdAt)) }
        return try connection.transaction { (_) throws(PostgresFailure) in
            let group = Array(zip(stored, group).map { (stored: $0, new: $1) })
            var outcomes: [Result<SubmitOutcome, JobStoreError>?] = group.map { _ in nil }
            // When the first job with a key is refused, the next one with it has its turn.
            while true {
                let open = group.indices.filter { outcomes[$0] == nil }
                if open.isEmpty { return outcomes.compactMap { $0 } }
                for (place, outcome) in zip(open, try round(open.map { group[$0] })) {
                    outcomes[place] = outcome
                }
            }
        }
    }

    /// The outcomes of jobs; nil for one whose key another one of the group took for nothing.
    private func round(
        _ group: [(stored: StoredJob, new: NewJob)]
    ) throws(PostgresFailure) -> [Result<SubmitOutcome, JobStoreError>?] {
        var outcomes = group.map { job in job.new.unique.map { _ in Self.unknownUnique } }
        let now = group.map(\.new.record.createdAt).min() ?? Timestamp(milliseconds: 0)
        // Of several requests of the group with one key the first makes the job.
        var first: [String: Int] = [:]
        var ids: Set<JobID> = []
        for (place, job) in group.enumerated() where outcomes[place] == nil {
            if let key = job.new.idempotency?.key, first[key] == nil { first[key] = place }
        }
        let taken = try keys.take(
            first.values.compactMap { place in
                group[place].new.idempotency.map { ($0, group[place].stored.record.id) }
            }, at: now)
        var wanted: [Int] = []
        var waiting: [Int] = []
        for (place, job) in group.enumerated() where outcomes[place] == nil {
            if let key = job.new.idempotency?.key, !taken.contains(key) || first[key] != place { continue }
            // One with the id of another one of the group waits for the next round, where that is stored.
            if ids.insert(job.stored.record.id).inserted {
                wanted.append(place)
            } else {
                waiting.append(place)
            }
        }
        let added = try jobs.add(wanted.map { group[$0] })
        for place in wanted {
            let job = group[place].stored
            outcomes[place] =
                added.contains(job.record.id)
                ? .success(.created(job.record)) : .failure(.duplicateID(job.record.id))
        }
        let refused = wanted.filter { !added.contains(group[$0].stored.record.id) } + waiting
        let spare = refused.compactMap { group[$0].new.idempotency?.key }
        try keys.remove(spare)
        let open = group.indices.filter { outcomes[$0] == nil && !waiting.contains($0) }
        for (place, outcome) in try known(open.map { ($0, group[$0].new) }) { outcomes[place] = outcome }
        return outcomes
    }

    /// The outcomes of requests whose keys were taken before.
    private func known(
        _ requests: [(place: Int, new: NewJob)]
    ) throws(PostgresFailure) -> [(Int, Result<SubmitOutcome, JobStoreError>)] {
        let rows = try keys.rows(of: Array(Set(requests.compactMap { $0.new.idempotency?.key })))
        let found = try jobs.jobs(rows.values.map(\.id))
        return requests.compactMap { request in
            guard let claim = request.new.idempotency, let row = rows[claim.key] else { return nil }
            guard row.fingerprint == claim.fingerprint else {
                return (request.place, .success(.keyReused(row.id)))
            }
            guard let job = found[row.id] else { return (request.place, .success(.replayedGone(row.id))) }
            return (request.place, .success(.replayed(job.record)))
        }
    }

    private static let unknownUnique: Result<SubmitOutcome, JobStoreError> = .failure(
        JobStoreError(.unavailable, "The store on PostgreSQL knows no unique keys yet. Nothing was changed."))
}
