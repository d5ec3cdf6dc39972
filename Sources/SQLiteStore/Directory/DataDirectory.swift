import ContentFiles
package import JobKit
package import JobStore

/// A data directory as seen by maintenance commands, whether or not a server uses it.
package struct DataDirectory: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// The use of a directory.
    package enum Use: Sendable, Hashable {
        /// No server uses it; `closed` tells whether the last one stopped in order.
        case free(closed: Bool)
        /// A server uses it, with its process id if known.
        case server(process: Int?)
        /// The use cannot be determined; the text says why.
        case unknown(String)
    }

    package var use: Use {
        do throws(JobStoreError) {
            return .free(closed: !(try DirectoryLock(directory: path, isGuest: true).wasLeftOpen))
        } catch {
            let holder = DirectoryLock.holder(of: path)
            return error.isInUse ? .server(process: holder) : .unknown(error.detail)
        }
    }

    /// Whether another store was not copied to the end into it. While no server uses it.
    package var isUnfinishedCopy: Bool {
        let path = path + "/jobs.db"
        guard ArtifactDirectory.byteCount(path) != nil,
            let connection = try? SQLiteConnection(path: path, mode: .readOnly, fileAccess: "unix-excl")
        else { return false }
        return (try? connection.number("PRAGMA user_version")) == SQLiteMigration.copying
    }

    /// Copies the store into `target` while no server uses it.
    /// - Throws: `.unavailable` when a server does, or `target` exists; `.diskFull`.
    package func backUp(to target: String) throws(JobStoreError) -> BackupSummary {
        let lock = try DirectoryLock(directory: path, isGuest: true)
        defer { lock.release() }
        return try StoreBackup.make(of: path, at: target, fileAccess: "unix-excl") { true }
    }

    /// Verifies the store while no server uses it.
    /// - Parameter makeDigest: creates the SHA-256 with which content files are compared; nil compares only their
    ///   length.
    /// - Throws: `.unavailable` when a server uses it, or it cannot be read.
    package func examine(
        makeDigest: (@Sendable () -> any RunningDigest)? = nil
    ) throws(JobStoreError) -> IntegrityReport {
        let lock = try DirectoryLock(directory: path, isGuest: true)
        defer { lock.release() }
        let database = path + "/jobs.db"
        do throws(SQLiteFailure) {
            return try IntegrityCheck.run(
                path: database, fileAccess: "unix-excl", makeDigest: makeDigest
            ) { true }
        } catch {
            throw error.storeError(doing: "Reading the store failed", path: database)
        }
    }

    /// The names in the directory.
    package var names: [String] { ArtifactDirectory(existing: path).names(in: "") }

    /// Removes the files that checking an unused copy leaves behind.
    package func tidy() {
        for name in ["lock", "jobs.db-shm"] { ArtifactDirectory.remove("\(path)/\(name)") }
        let log = path + "/jobs.db-wal"
        if ArtifactDirectory.byteCount(log) == 0 { ArtifactDirectory.remove(log) }
    }

    /// Moves a directory that no server uses, with its contents.
    package static func move(_ path: String, to other: String) throws(JobStoreError) {
        do throws(ArtifactFailure) { try FileTree.move(path, to: other) } catch {
            throw JobStoreError(error.code == .full ? .diskFull : .unavailable, error.detail)
        }
    }

    /// Removes a directory with its contents.
    package static func remove(_ path: String) { FileTree.remove(path) }
}
