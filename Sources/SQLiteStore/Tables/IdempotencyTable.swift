import JobKit
import JobStore

/// Idempotency keys with the jobs that they created.
struct IdempotencyTable {
    /// The values stored with a key.
    struct Row {
        /// The number of the job; meaningless when `named` is set.
        var number: Int64
        /// The digest of the request, followed by the bytes of `named`.
        var fingerprint: [UInt8]
        /// The expiry of the key.
        var expiresAt: Timestamp
        /// The job when it was erased, or was created by another request that this one joined.
        var named: JobID?
    }

    private let byKey, insert, rename, deleteOld: SQLiteStatement
    private let connection: SQLiteConnection
    /// The number in the row of a key that names its job.
    private static let noNumber: Int64 = 0

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        byKey = try connection.prepare(
            "SELECT number, fingerprint, expires_at, substr(fingerprint, -16) FROM idempotency WHERE key = ?1"
        )
        insert = try connection.prepare("INSERT OR REPLACE INTO idempotency VALUES (?1, ?2, ?3, ?4)")
        rename = try connection.prepare(
            """
            UPDATE idempotency SET number = ?4, fingerprint = CAST(fingerprint || ?3 AS BLOB) \
            WHERE key = ?1 AND number = ?2
            """)
        deleteOld = try connection.prepare(
            """
            DELETE FROM idempotency WHERE key IN (SELECT key FROM idempotency INDEXED BY idempotency_expiry \
            WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)
            """)
        self.connection = connection
    }

    func row(of key: String) throws(SQLiteFailure) -> Row? {
        byKey.bind(1, key)
        defer { byKey.reset() }
        guard try byKey.step() else { return nil }
        let number = byKey.integer(0)
        return Row(
            number: number, fingerprint: byKey.bytes(1),
            expiresAt: Timestamp(milliseconds: byKey.integer(2)),
            named: number == Self.noNumber ? byKey.id(3) : nil)
    }

    /// Adds the key of a new job.
    func add(_ claim: IdempotencyClaim, for number: Int64) throws(SQLiteFailure) {
        insert.bind(1, claim.key)
        insert.bind(2, number)
        insert.bind(3, claim.fingerprint)
        insert.bind(4, claim.expiresAt)
        try insert.run()
    }

    /// Adds the key of a request that joined a job.
    func add(_ claim: IdempotencyClaim, naming id: JobID) throws(SQLiteFailure) {
        try add(claim, for: Self.noNumber)
        try keep(claim.key, naming: id, insteadOf: Self.noNumber)
    }

    /// Keeps the key of an erased job until its own expiry.
    func keep(_ key: String, of job: StoredJob) throws(SQLiteFailure) {
        try keep(key, naming: job.record.id, insteadOf: job.number)
    }

    /// Removes up to `limit` expired keys and returns their number.
    func removeOld(at now: Timestamp, limit: Int) throws(SQLiteFailure) -> Int {
        deleteOld.bind(1, now)
        deleteOld.bind(2, Int64(limit))
        try deleteOld.run()
        return connection.changedRows
    }

    private func keep(_ key: String, naming id: JobID, insteadOf number: Int64) throws(SQLiteFailure) {
        rename.bind(1, key)
        rename.bind(2, number)
        rename.bind(3, id)
        rename.bind(4, Self.noNumber)
        try rename.run()
    }
}
