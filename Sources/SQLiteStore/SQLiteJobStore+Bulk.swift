import JobKit
import JobStore

/// Bulk actions.
extension SQLiteJobStore {
    func create(
        _ bulk: BulkRecord, of ids: [JobID],
        reply: @escaping @Sendable (Result<BulkRecord, JobStoreError>) -> Void
    ) {
        let parts = BulkTable.parts(of: ids)
        write(reply, bytes: ids.count * 16) { session throws(SQLiteFailure) in
            if bulk.state == .running, let refusal = try session.bulks.refusal() { return .failure(refusal) }
            try session.bulks.insert(bulk, parts: parts)
            return .success(bulk)
        }
    }

    func advance(_ step: BulkStep, reply: @escaping @Sendable (Result<BulkReceipt, JobStoreError>) -> Void) {
        write(reply, rows: step.count) { session throws(SQLiteFailure) in try session.advance(step) }
    }

    func stopBulk(
        _ id: BulkID, by: String, at now: Timestamp,
        reply: @escaping @Sendable (Result<BulkRecord, JobStoreError>) -> Void
    ) {
        write(reply) { session throws(SQLiteFailure) in
            try session.stopBulk(id, by: by, at: now)
        }
    }

    func removeBulks(
        before time: Timestamp, limit: Int, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        let limit = StoreRange.batch(limit)
        write(reply) { session throws(SQLiteFailure) in
            .success(
                try session.erasing { () throws(SQLiteFailure) in
                    try session.bulks.remove(before: time, limit: limit)
                })
        }
    }
}
