import ContentFiles
package import JobKit
package import JobStore

/// A data directory that becomes a copy, locked meanwhile.
package final class SQLiteCopyTarget: CopyTarget {
    private let directory: String
    private let path: String
    private let lock: DirectoryLock
    private var session: WriterSession?

    package var keepsKeyLines: Bool { false }

    /// - Throws: `.unavailable` when a server uses the directory, or it cannot be made.
    package init(directory: String) throws(JobStoreError) {
        self.directory = directory
        path = directory + "/jobs.db"
        do throws(JobStoreError) { lock = try DirectoryLock(directory: directory) } catch {
            throw error.isInUse ? .inUse(directory) : error
        }
    }

    package func begin(anew: Bool) throws(JobStoreError) {
        if anew, DataDirectory(directory).isUnfinishedCopy {
            for end in ["", "-wal", "-shm"] { ArtifactDirectory.remove(path + end) }
        }
        try SQLiteJobStore.makePrivate(path)
        let isEmpty = try writing { () throws(SQLiteFailure) in
            let session = try WriterSession(path: path, options: SQLiteOptions())
            self.session = session
            for table in ["SELECT 1 FROM job"] + StoredTable.all.map({ SQLiteCopyTable($0).select }) {
                if try session.connection.prepare(table).step() { return false }
            }
            try session.connection.execute("PRAGMA user_version = \(SQLiteMigration.copying)")
            return true
        }
        if !isEmpty {
            throw JobStoreError(
                .unavailable,
                "There is a store in \(directory) that is not empty. Nothing is overwritten: choose another directory."
            )
        }
    }

    package func add(_ jobs: [CopiedJob]) throws(JobStoreError) {
        try transaction { session throws(SQLiteFailure) in
            for copied in jobs { try Self.add(copied, to: session) }
        }
    }

    private static func add(_ copied: CopiedJob, to session: WriterSession) throws(SQLiteFailure) {
        let number = session.tally.nextNumber
        var job = StoredJob(record: copied.job.record, number: number)
        job.readyAt = copied.job.readyAt
        job.owner = copied.job.owner
        job.idempotencyKey = copied.job.idempotencyKey
        job.posts = copied.job.posts
        job.flags = copied.job.flags
        let waits = job.record.state.isSuspended ? WaitKinds(job.record.detail.values.waits) : []
        if !waits.isEmpty { job.flags.insert(.waits) }
        try session.jobs.insert(job, metadataPlace: copied.metadataPlace, gathers: false)
        try session.specs.add(copied.spec, of: number, gathers: false)
        try session.jobs.addLabels(of: job.record)
        if !waits.isEmpty { try session.jobs.save(waits: waits, of: number) }
        if job.record.endCode != nil { try session.jobs.save(endOf: job.record, of: number) }
        if let result = copied.result { try session.results.put(result, of: number) }
        if job.isSuspect { try session.suspects.add(job) }
        session.tally.nextNumber += 1
        session.tally.add(job.record.state, 1, of: number)
    }

    package func add(_ rows: [[StoredValue]], to table: StoredTable) throws(JobStoreError) {
        let table = SQLiteCopyTable(table)
        try transaction { session throws(SQLiteFailure) in
            let insert = try session.connection.prepare(table.insert)
            for row in rows {
                insert.bind(table.parameters(row))
                try insert.run()
            }
        }
    }

    /// Files are there or not.
    package func note(_ contents: [ArtifactReference]) throws(JobStoreError) {}

    package func jobCount() throws(JobStoreError) -> Int { try count("SELECT count(*) FROM job") }

    package func count(of table: StoredTable) throws(JobStoreError) -> Int {
        try count(SQLiteCopyTable(table).count)
    }

    private func count(_ sql: String) throws(JobStoreError) -> Int {
        try writing { () throws(SQLiteFailure) in Int(try session?.connection.number(sql) ?? 0) }
    }

    package func finish() throws(JobStoreError) {
        try writing { () throws(SQLiteFailure) in
            guard let connection = session?.connection else { return }
            // The occurrences of a schedule that was removed must not become those of a new one. The ends that are not
            // counted are in `ending`.
            try connection.execute(
                """
                BEGIN IMMEDIATE;
                DELETE FROM sqlite_sequence WHERE name = 'schedule';
                INSERT INTO sqlite_sequence SELECT 'schedule', max(\
                coalesce((SELECT max(number) FROM schedule), 0), coalesce((SELECT max(schedule) FROM occurrence), 0));
                UPDATE counted SET (at, id) = (SELECT finished_at, id FROM job WHERE finished_at IS NOT NULL \
                ORDER BY finished_at DESC, id DESC LIMIT 1) WHERE EXISTS (SELECT 1 FROM job WHERE finished_at IS NOT NULL);
                PRAGMA user_version = \(SQLiteMigration.newest);
                COMMIT;
                """)
            _ = try connection.checkpoint(truncating: true)
        }
        session = nil
        lock.release()
    }

    /// - Throws: `.diskFull` before the reserve of the directory's server is touched.
    private func transaction(
        _ body: (WriterSession) throws(SQLiteFailure) -> Void
    ) throws(JobStoreError) {
        do throws(ArtifactFailure) { try DiskReserve().check(0, at: directory, for: "The next row") } catch {
            throw JobStoreError(.diskFull, error.detail)
        }
        try writing { () throws(SQLiteFailure) in
            guard let session else { return }
            try session.begin()
            try body(session)
            try session.commit()
            _ = try session.connection.checkpoint(truncating: false)
        }
    }

    private func writing<Value>(_ body: () throws(SQLiteFailure) -> Value) throws(JobStoreError) -> Value {
        do throws(SQLiteFailure) { return try body() } catch {
            throw error.storeError(doing: "Writing the copy failed", path: path)
        }
    }
}
