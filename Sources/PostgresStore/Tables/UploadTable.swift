import JobKit
import JobStore

// DESIGN
// A submission locks the uploads that it names against removal (FOR SHARE) until its use of them is committed. A
// removal skips what is locked, and looks for uses in a second statement, which sees all that were committed before.

/// The rows of uploads, and which jobs use them.
struct UploadTable: UploadRows {
    private let connection: PostgresConnection
    private let uploads, uses: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let schema = connection.address.schema
        (uploads, uses) = ("\(schema).upload", "\(schema).upload_use")
    }

    // MARK: Writing

    func count() throws(PostgresFailure) -> Int {
        Int(try connection.run("SELECT count(*) FROM \(uploads)").integer(0, 0))
    }

    func insert(_ upload: UploadRecord) throws(PostgresFailure) {
        try connection.run(
            UploadRecord.table.insertion(in: connection.address.schema), upload.parameters)
    }

    /// Why a new job cannot use its uploads; nil when it can. No one removes them until the end of the transaction.
    func refusal(of new: NewJob) throws(PostgresFailure) -> JobStoreError? {
        if new.uploads.isEmpty { return nil }
        let ids = new.uploads.map(\.bits)
        try connection.run(
            "SELECT 1 FROM \(uploads) WHERE id = ANY($1) ORDER BY id FOR SHARE", [.ids(ids)])
        let known = try records("WHERE id = ANY($1)", [.ids(ids)])
        for id in new.uploads {
            guard let upload = known.first(where: { $0.id == id }) else { return .noUpload(id) }
            if let refusal = upload.refusal(for: new.record) { return refusal }
        }
        return nil
    }

    /// Keeps uploads for a job.
    func keep(_ ids: [UploadID], for job: StoredJob) throws(PostgresFailure) {
        if ids.isEmpty { return }
        try connection.run(
            "INSERT INTO \(uses) SELECT each, $2 FROM unnest($1::uuid[]) AS each ON CONFLICT DO NOTHING",
            [.ids(ids.map(\.bits)), .id(job.record.id)])
    }

    /// Removes an upload; false when a job uses it, or one that does is being stored.
    func remove(_ id: UploadID) throws(PostgresFailure) -> Bool {
        try remove("id = $1", [.id(id.bits)]) > 0
    }

    func remove(before time: Timestamp, limit: Int) throws(PostgresFailure) -> Int {
        try remove(
            "expires_at < $1 AND \(unused) LIMIT $2", [.time(time), .integer(Int64(limit))])
    }

    private func remove(_ condition: String, _ values: [PostgresValue]) throws(PostgresFailure) -> Int {
        let ids = try connection.run(
            "SELECT id FROM \(uploads) AS upload WHERE \(condition) FOR UPDATE SKIP LOCKED", values
        ).ids()
        if ids.isEmpty { return 0 }
        return try connection.run(
            "DELETE FROM \(uploads) AS upload WHERE id = ANY($1) AND \(unused)", [.ids(ids)]
        ).changed
    }

    private var unused: String {
        "NOT EXISTS (SELECT 1 FROM \(uses) AS used WHERE used.upload = upload.id)"
    }

    // MARK: Reading

    func upload(_ id: UploadID) throws(PostgresFailure) -> UploadRecord? {
        try records("WHERE id = ANY($1)", [.ids([id.bits])]).first
    }

    /// Uploads before one, the newest first.
    func uploads(before id: UploadID?, limit: Int) throws(PostgresFailure) -> [UploadRecord] {
        let page = PostgresValue.newest(before: id, limit: limit)
        return try records(page.filter, page.values)
    }

    func bytes(of tenant: Tenant) throws(PostgresFailure) -> Int64 {
        try connection.run(
            """
            SELECT coalesce(sum(greatest(bytes, \(UploadRecord.bytesMin))), 0)::bigint FROM \(uploads) \
            WHERE substring(created_by from 1 for length($1::bytea)) = $1
            """, [.raw(tenant.textPrefix)]
        ).integer(0, 0)
    }

    private func records(
        _ filter: String, _ values: [PostgresValue]
    ) throws(PostgresFailure) -> [UploadRecord] {
        let rows = try connection.run(
            """
            SELECT \(UploadRecord.table.list()), NOT (\(unused)) FROM \(uploads) AS upload \(filter)
            """, values)
        var found: [UploadRecord] = []
        for row in 0..<rows.count {
            guard var upload: UploadRecord = try rows.record(row) else { continue }
            upload.isUsed = rows.integer(row, UploadRecord.table.columns.count) != 0
            found.append(upload)
        }
        return found
    }
}
