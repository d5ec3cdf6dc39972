package import JobKit
package import JobStore

/// A data directory seen from outside: by commands that look after it while a server uses it or not.
package struct DataDirectory: Sendable {
    /// Where it is.
    package let path: String

    /// The directory at `path`.
    package init(_ path: String) { self.path = path }

    /// Whether a server uses it.
    package enum Use: Sendable, Hashable {
        /// Nobody does; `closed` tells whether the last server ended in order.
        case free(closed: Bool)
        /// This process does, as far as is known.
        case server(process: Int?)
        /// It cannot be found out; the text says why.
        case unknown(String)
    }

    /// The process that uses it.
    package var use: Use {
        do throws(JobStoreError) {
            return .free(closed: !(try DirectoryLock(directory: path, isGuest: true).wasLeftOpen))
        } catch {
            let holder = DirectoryLock.holder(of: path)
            return error.isInUse ? .server(process: holder) : .unknown(error.detail)
        }
    }

    /// Copies the store into `target` while no server uses it.
    /// - Throws: `.unavailable` when one does, or `target` exists; `.diskFull`.
    package func backUp(to target: String) throws(JobStoreError) -> BackupSummary {
        let lock = try DirectoryLock(directory: path, isGuest: true)
        defer { lock.release() }
        return try StoreBackup.make(of: path, at: target, fileAccess: "unix-excl") { true }
    }

    /// Checks all that is stored while no server uses it.
    /// - Parameter makeDigest: makes a SHA-256 when files with content are to be read and compared; nil to look at
    ///   their length only.
    /// - Throws: `.unavailable` when one does, or it cannot be read.
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

    /// The names in it.
    package var names: [String] { ArtifactDirectory(existing: path).names(in: "") }

    /// Removes the files that checking an unused copy leaves behind.
    package func tidy() {
        for name in ["lock", "jobs.db-shm"] { ArtifactDirectory.remove("\(path)/\(name)") }
        let log = path + "/jobs.db-wal"
        if ArtifactDirectory.byteCount(log) == 0 { ArtifactDirectory.remove(log) }
    }

    /// Moves a directory that is no server's, with all that is in it.
    package static func move(_ path: String, to other: String) throws(JobStoreError) {
        do throws(ArtifactFailure) { try FileTree.move(path, to: other) } catch {
            throw JobStoreError(error.code == .full ? .diskFull : .unavailable, error.detail)
        }
    }

    /// Removes a directory with all that is in it.
    package static func remove(_ path: String) { FileTree.remove(path) }
}
