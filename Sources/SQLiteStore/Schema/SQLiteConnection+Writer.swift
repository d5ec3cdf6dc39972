/// The connection that writes.
extension SQLiteConnection {
    /// Opens the database at `path` for writing, creates it when missing, and migrates it to the newest schema.
    static func forWriting(_ path: String, _ options: SQLiteOptions) throws(SQLiteFailure) -> SQLiteConnection
    {
        // Without a sync at each commit, readers would miss what is not written yet.
        let fileAccess = options.sync == .full ? gatheringWrites(options.fileAccess) : options.fileAccess
        let connection = try SQLiteConnection(path: path, mode: .readWrite, fileAccess: fileAccess)
        try connection.execute("PRAGMA busy_timeout = \(waitMilliseconds)")
        // Before anything is changed.
        let version = try SQLiteMigration.version(of: connection)
        try connection.execute(
            """
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA secure_delete = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -\(options.writerCacheKibibytes);
            PRAGMA page_size = \(options.pageBytes);
            """)
        let mode = try connection.text("PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw .unfit("the file system does not allow a write-ahead log")
        }
        try connection.execute(
            """
            PRAGMA synchronous = \(options.sync == .full ? "FULL" : "NORMAL");
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA journal_size_limit = \(options.logBytesMax);
            """)
        try SQLiteMigration.run(from: version, on: connection)
        if let pages = options.pagesMax { try connection.execute("PRAGMA max_page_count = \(pages)") }
        return connection
    }
}
