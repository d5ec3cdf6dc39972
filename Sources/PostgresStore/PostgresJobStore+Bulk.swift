import JobKit
import JobStore

/// Bulk actions.
extension PostgresJobStore {
    func create(
        _ bulk: BulkRecord, of ids: [JobID],
        reply: @escaping @Sendable (Result<BulkRecord, JobStoreError>) -> Void
    ) {
        write(reply, bytes: ids.count * 16) { unit throws(PostgresFailure) in
            if bulk.state == .running, let refusal = try unit.tables.bulks.refusal(unit.limits.bulksMax) {
                return .failure(refusal)
            }
            try unit.tables.bulks.insert(bulk, of: ids, number: unit.numbers.next(at: bulk.createdAt))
            return .success(bulk)
        }
    }

    func advance(_ step: BulkStep, reply: @escaping @Sendable (Result<BulkReceipt, JobStoreError>) -> Void) {
        write(reply, rows: step.count) { unit throws(PostgresFailure) in try unit.advance(step) }
    }

    func stopBulk(
        _ id: BulkID, by: String, at now: Timestamp,
        reply: @escaping @Sendable (Result<BulkRecord, JobStoreError>) -> Void
    ) {
        write(reply) { unit throws(PostgresFailure) in try unit.stopBulk(id, by: by, at: now) }
    }

    func removeBulks(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        let limit = StoreRange.batch(limit)
        write(reply) { unit throws(PostgresFailure) in
            .success(try unit.tables.bulks.remove(before: time, limit: limit))
        }
    }
}
