import JobKit
import JobStore

/// The uses of content files by jobs.
final class ArtifactTable {
    private let connection: SQLiteConnection
    /// The content that may have become unused.
    private(set) var suspects: Set<String> = []

    init(_ connection: SQLiteConnection) { self.connection = connection }

    func put(_ uses: [ArtifactUse], of job: StoredJob) throws(SQLiteFailure) {
        let known = try connection.prepare("SELECT sha256 FROM artifact WHERE number = ?1 AND path = ?2")
        let put = try connection.prepare(
            "INSERT OR REPLACE INTO artifact VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
        for use in uses {
            let path = use.path.joined(separator: "/")
            known.bind(1, job.number)
            known.bind(2, path)
            if try known.step() { suspects.insert(known.text(0)) }
            known.reset()
            put.bind(1, job.number)
            put.bind(2, path)
            put.bind(3, use.artifact.sha256)
            put.bind(4, Int64(use.artifact.bytes))
            put.bind(5, use.artifact.name)
            put.bind(6, use.contentType)
            put.bind(7, use.storedAt)
            put.bind(8, use.contentCoding)
            try put.run()
        }
    }

    /// Removes the uses of an erased job.
    func remove(of number: Int64) throws(SQLiteFailure) {
        let rows = try connection.prepare("SELECT sha256 FROM artifact WHERE number = ?1")
        rows.bind(1, number)
        while try rows.step() { suspects.insert(rows.text(0)) }
        rows.reset()
        let delete = try connection.prepare("DELETE FROM artifact WHERE number = ?1")
        delete.bind(1, number)
        try delete.run()
    }

    /// The suspects that no job uses, and no upload. Outside a transaction, after a commit.
    func takeUnused() throws(SQLiteFailure) -> [String] {
        let rows = try connection.prepare(ContentQuery.isNamed)
        var unused: [String] = []
        for digest in suspects {
            rows.bind(1, digest)
            if try !rows.step() { unused.append(digest) }
            rows.reset()
        }
        suspects = []
        return unused
    }

    /// Those of the owners of unfinished content that will not resume it, since they are erased or succeeded.
    func finished(_ owners: [String]) throws(SQLiteFailure) -> [String] {
        let rows = try connection.prepare("SELECT state FROM job WHERE id = ?1")
        var finished: [String] = []
        for owner in owners {
            guard let id = JobID(owner) else {
                finished.append(owner)
                continue
            }
            rows.bind(1, id)
            defer { rows.reset() }
            if try !rows.step() || rows.integer(0) == JobState.succeeded.stored { finished.append(owner) }
        }
        return finished
    }

    /// Adds content that may have become unused.
    func suspect(_ digests: [String]) { suspects.formUnion(digests) }
}

extension ReaderSession {
    func artifacts(_ id: JobID) throws(SQLiteFailure) -> [ArtifactUse] {
        let rows = try pageStatement(
            """
            SELECT path, sha256, bytes, name, content_type, stored_at, content_coding FROM artifact \
            WHERE number = (SELECT number FROM job WHERE id = ?1) ORDER BY stored_at, path
            """)
        rows.bind(1, id)
        defer { rows.reset() }
        var uses: [ArtifactUse] = []
        while try rows.step() { uses.append(ArtifactUse(row: rows)) }
        return uses
    }
}

extension ArtifactUse {
    /// A row of `artifacts`.
    fileprivate init(row: SQLiteStatement) {
        self.init(
            path: row.text(0).split(separator: "/").map(String.init),
            artifact: ArtifactReference(
                sha256: row.text(1), bytes: Int(row.integer(2)), name: row.optionalText(3)),
            contentType: row.optionalText(4), contentCoding: row.optionalText(6),
            storedAt: Timestamp(milliseconds: row.integer(5)))
    }
}
