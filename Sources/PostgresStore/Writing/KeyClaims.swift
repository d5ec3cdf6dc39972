import JobKit
import JobStore
import StrictJSON

/// The idempotency keys of a group of writes. All are taken when it begins, as if every new job was stored, so that
/// another server that brings one of them waits; those that led to no job are removed at the end.
final class KeyClaims {
    private let table: IdempotencyTable
    /// The keys that the group took, and all that is known about keys now.
    private var taken: [ByteKey: IdempotencyTable.Row] = [:]
    private var known: [ByteKey: IdempotencyTable.Row] = [:]
    /// The keys that the group gave to jobs.
    private var given: Set<ByteKey> = []

    init(_ table: IdempotencyTable) { self.table = table }

    /// Forgets everything, for the next transaction.
    func rollback() {
        taken = [:]
        known = [:]
        given = []
    }

    /// Takes the keys of new jobs; returns the jobs that have those which others took.
    func take(for group: [NewJob]) throws(PostgresFailure) -> [JobID] {
        for job in group {
            guard let claim = job.idempotency, taken[ByteKey(claim.key)] == nil else { continue }
            taken[ByteKey(claim.key)] = IdempotencyTable.Row(claim, naming: job.record.id)
        }
        guard !taken.isEmpty else { return [] }
        let now = group.map { $0.record.createdAt }.min() ?? Timestamp(milliseconds: 0)
        let mine = try table.take(taken, at: now)
        known = try table.rows(of: taken.keys.filter { !mine.contains($0) })
        taken = taken.filter { mine.contains($0.key) }
        return known.values.map(\.id)
    }

    /// The values stored with a key that is in use at `now`.
    func row(of key: String, at now: Timestamp) -> IdempotencyTable.Row? {
        known[ByteKey(key)].flatMap { $0.expiresAt > now ? $0 : nil }
    }

    /// Gives a key to a job.
    func give(_ claim: IdempotencyClaim, to id: JobID) {
        known[ByteKey(claim.key)] = IdempotencyTable.Row(claim, naming: id)
        given.insert(ByteKey(claim.key))
    }

    /// Stores the keys. At the end of the transaction.
    func finish() throws(PostgresFailure) {
        try table.remove(taken.keys.filter { !given.contains($0) })
        // Most keys are stored as they were when the group took them.
        try table.put(known.filter { given.contains($0.key) && taken[$0.key] != $0.value })
    }
}
