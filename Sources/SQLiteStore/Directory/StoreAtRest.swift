import ContentFiles
import JobStore

/// The store in a data directory that no server uses, read in one transaction and without a trace.
struct StoreAtRest {
    let lock: DirectoryLock
    let connection: SQLiteConnection

    /// - Throws: `.unavailable` when a server uses the directory, there is no store in it, or one of another version.
    init(_ directory: String) throws(JobStoreError) {
        let path = directory + "/jobs.db"
        guard ArtifactDirectory.byteCount(path) != nil else {
            throw JobStoreError(.unavailable, "There is no store in \(directory).")
        }
        lock = try DirectoryLock(directory: directory, isGuest: true)
        do throws(SQLiteFailure) {
            connection = try SQLiteConnection(path: path, mode: .readOnly, fileAccess: "unix-excl")
            try connection.execute("PRAGMA query_only = ON; PRAGMA busy_timeout = 2000; BEGIN")
            let version = try SQLiteMigration.version(of: connection)
            if version < SQLiteMigration.newest { throw .unfit("its format is number \(version)") }
        } catch {
            if error.isUnfit {
                throw JobStoreError(
                    .unavailable,
                    """
                    \(directory) was last used by an older version of this program (\(error.message), this one has \
                    \(SQLiteMigration.newest)). Start this version once and stop it, which brings the store to its \
                    format: jobserver serve --data \(directory)
                    """)
            }
            throw error.storeError(doing: "Reading the store failed", path: path)
        }
    }
}
