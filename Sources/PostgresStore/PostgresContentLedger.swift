import JobKit
import JobStore

/// The ledger of shared content, in the store's PostgreSQL.
final class PostgresContentLedger: ContentLedger {
    private let queue: CommandQueue
    private let pool: ReaderPool

    init(queue: CommandQueue, pool: ReaderPool) {
        self.queue = queue
        self.pool = pool
    }

    func hold(_ sha256: String) async throws(JobStoreError) -> Bool {
        try await write(WriteNeeds(contents: [sha256])) { tables throws(PostgresFailure) in
            try tables.contents.hold(sha256)
        }
    }

    func condemn(
        unusedFor grace: Duration, patience: Duration, limit: Int
    ) async throws(JobStoreError) -> [String] {
        // The search may read many rows: not in the writer's transaction.
        let candidates = try await reading { session throws(PostgresFailure) in
            try session.tables.contents.candidates(unusedFor: grace, patience: patience, limit: limit)
        }
        if candidates.isEmpty { return [] }
        return try await write { tables throws(PostgresFailure) in
            try tables.contents.condemn(candidates, unusedFor: grace, patience: patience)
        }
    }

    func finished(_ owners: [String]) async throws(JobStoreError) -> [String] {
        let ids = owners.compactMap { JobID($0) }
        let kept = try await reading { session throws(PostgresFailure) in
            try session.tables.contents.resumable(ids)
        }
        let names = Set(kept.map(\.description))
        return owners.filter { !names.contains($0) }
    }

    private func reading<Value: Sendable>(
        _ work: @escaping @Sendable (ReaderSession) throws(PostgresFailure) -> Value
    ) async throws(JobStoreError) -> Value {
        try await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, JobStoreError>, Never>) in
            pool.add { reader in
                continuation.resume(
                    returning: Result { () throws(JobStoreError) in
                        try reader.read { session throws(PostgresFailure) in try work(session) }
                    })
            }
        }.get()
    }

    func forget(_ digests: [String]) async throws(JobStoreError) {
        try await write { tables throws(PostgresFailure) in try tables.contents.forget(digests) }
    }

    private func write<Value: Sendable>(
        _ needs: WriteNeeds = WriteNeeds(),
        _ work: @escaping @Sendable (StoreTables) throws(PostgresFailure) -> Value
    ) async throws(JobStoreError) -> Value {
        try await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, JobStoreError>, Never>) in
            queue.add(
                WriteCommand(needs: needs, reply: { continuation.resume(returning: $0) }) {
                    unit throws(PostgresFailure) in
                    .success(try work(unit.tables))
                })
        }.get()
    }
}
