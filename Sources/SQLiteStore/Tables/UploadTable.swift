import JobKit
import JobStore

/// The rows of uploads, and which jobs use them. Rarely used: statements are prepared on demand.
struct UploadTable: UploadRows {
    let connection: SQLiteConnection
    /// Told of content that may be unused once its upload is removed.
    let artifacts: ArtifactTable

    func count() throws(SQLiteFailure) -> Int {
        Int(try connection.number("SELECT count(*) FROM upload") ?? 0)
    }

    func insert(_ upload: UploadRecord) throws(SQLiteFailure) {
        try connection.insert(upload)
    }

    func upload(_ id: UploadID) throws(SQLiteFailure) -> UploadRecord? {
        let row = try connection.prepare("SELECT \(UploadRecord.columns) FROM upload WHERE id = ?1")
        row.bind(1, id.bits)
        return try UploadRecord.all(row).first
    }

    /// Why a new job cannot use its uploads; nil when it can.
    func refusal(of new: NewJob) throws(SQLiteFailure) -> JobStoreError? {
        for id in new.uploads {
            guard let upload = try upload(id) else { return .noUpload(id) }
            if let refusal = upload.refusal(for: new.record) { return refusal }
        }
        return nil
    }

    /// Keeps uploads for a job.
    func keep(_ ids: [UploadID], for job: StoredJob) throws(SQLiteFailure) {
        if ids.isEmpty { return }
        let insert = try connection.prepare("INSERT OR IGNORE INTO upload_use VALUES (?1, ?2)")
        for id in ids {
            insert.bind(1, id.bits)
            insert.bind(2, job.number)
            try insert.run()
        }
    }

    /// Releases the uploads of an erased job.
    func release(by number: Int64) throws(SQLiteFailure) {
        let delete = try connection.prepare("DELETE FROM upload_use WHERE number = ?1")
        delete.bind(1, number)
        try delete.run()
    }

    func remove(_ id: UploadID) throws(SQLiteFailure) -> Bool {
        guard let upload = try upload(id), !upload.isUsed else { return false }
        let delete = try connection.prepare("DELETE FROM upload WHERE id = ?1")
        delete.bind(1, id.bits)
        try delete.run()
        artifacts.suspect([upload.artifact.sha256])
        return true
    }

    func remove(before time: Timestamp, limit: Int) throws(SQLiteFailure) -> Int {
        let rows = try connection.prepare(
            "SELECT id FROM upload WHERE expires_at < ?1 AND \(UploadRecord.unused) LIMIT ?2")
        rows.bind(1, time)
        rows.bind(2, Int64(limit))
        var ids: [UploadID] = []
        while try rows.step() { ids.append(UploadID(bits: rows.id(0))) }
        rows.reset()
        var count = 0
        for id in ids where try remove(id) { count += 1 }
        return count
    }
}

extension UploadRecord {
    /// The condition for an upload that no job uses.
    static let unused = "NOT EXISTS (SELECT 1 FROM upload_use WHERE upload_use.upload = upload.id)"

    /// The columns, and whether a job uses it.
    static let columns = "\(table.list()), NOT \(unused)"

    /// All rows. The statement is reset then.
    static func all(_ rows: SQLiteStatement) throws(SQLiteFailure) -> [UploadRecord] {
        defer { rows.reset() }
        var found: [UploadRecord] = []
        while try rows.step() {
            guard var upload: UploadRecord = try rows.record() else { continue }
            upload.isUsed = rows.integer(Int32(table.columns.count)) != 0
            found.append(upload)
        }
        return found
    }
}

extension ReaderSession {
    func upload(_ id: UploadID) throws(SQLiteFailure) -> UploadRecord? {
        let row = try pageStatement("SELECT \(UploadRecord.columns) FROM upload WHERE id = ?1")
        row.bind(1, id.bits)
        return try UploadRecord.all(row).first
    }

    func uploads(before id: UploadID?, limit: Int) throws(SQLiteFailure) -> [UploadRecord] {
        try UploadRecord.all(newest(UploadRecord.columns, of: "upload", before: id, limit: limit))
    }
}
