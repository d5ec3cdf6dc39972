import ContentFiles
import Glibc
import JobKit
import JobStore

// DESIGN
// A backup is a data directory that `jobserver serve --data` can start from. The database is copied inside one read
// transaction, page by page, so the copy is a snapshot however long it takes; meanwhile the write-ahead log grows.
// Content files never change under their name, so they are linked instead of copied where the file system can. They are
// linked twice: all existing ones before the snapshot, because some may be removed later, and then those named in the
// copy that were created in between. Before anything is copied there must be room for it: on the disk of the store,
// beside the reserve for its log.

/// Copies a store into a new data directory.
enum StoreBackup {
    /// Copies the store in `directory` into `target`, which must not exist. The copy is on disk afterwards; of one that
    /// fails nothing is left.
    static func make(
        of directory: String, at target: String, fileAccess: String, reserve: DiskReserve = DiskReserve(),
        goesOn: () -> Bool
    ) throws(JobStoreError) -> BackupSummary {
        do throws(ArtifactFailure) {
            guard try ArtifactDirectory.make(folder: target) else {
                throw ArtifactFailure(.unavailable, "\(target) exists already.")
            }
            do throws(ArtifactFailure) {
                try checkRoom(for: directory, at: target, reserve)
                return try fill(target, from: directory, fileAccess, goesOn)
            } catch {
                FileTree.remove(target)
                throw error
            }
        } catch {
            throw JobStoreError(error.code == .full ? .diskFull : .unavailable, error.detail)
        }
    }

    /// Checks that the copy fits. Content is linked on the same disk.
    private static func checkRoom(
        for directory: String, at target: String, _ reserve: DiskReserve
    ) throws(ArtifactFailure) {
        let isHere = DiskSpace.isShared(by: directory, target)
        var reserve = reserve
        var bytes = ["jobs.db", "jobs.db-wal"].reduce(0) {
            $0 + (ArtifactDirectory.byteCount("\(directory)/\($1)") ?? 0)
        }
        if !isHere {
            reserve.size = .bytes(0)
            bytes += FileTree.byteCount(directory + "/artifacts")
        }
        try reserve.check(bytes, at: target, for: "The backup")
    }

    private static func fill(
        _ target: String, from directory: String, _ fileAccess: String, _ goesOn: () -> Bool
    ) throws(ArtifactFailure) -> BackupSummary {
        var summary = BackupSummary(path: target)
        summary.files = try linkAll(from: directory, to: target)
        let named = try copyDatabase(directory, target, fileAccess, goesOn, &summary)
        for digest in named where try link(digest, from: directory, to: target) { summary.files += 1 }
        try makeDurable(target)
        return summary
    }

    /// Copies the database and returns the digests of the files that it needs.
    private static func copyDatabase(
        _ directory: String, _ target: String, _ fileAccess: String, _ goesOn: () -> Bool,
        _ summary: inout BackupSummary
    ) throws(ArtifactFailure) -> [String] {
        let path = target + "/jobs.db"
        // Created here with mode 0600, since SQLite would leave it readable by others for a moment.
        _ = try ArtifactFile.writing(path)
        do throws(SQLiteFailure) {
            let source = try SQLiteConnection(
                path: directory + "/jobs.db", mode: .readOnly, fileAccess: fileAccess)
            try source.execute("PRAGMA busy_timeout = 2000; PRAGMA query_only = ON; BEGIN")
            summary.jobs = Int(try source.number("SELECT coalesce(sum(jobs), 0) FROM (\(Tally.query))") ?? 0)
            let copy = try SQLiteConnection(path: path, mode: .readWrite, fileAccess: "unix-excl")
            try copy.execute("PRAGMA synchronous = OFF")
            try SQLiteCopy.run(from: source, to: copy, goesOn: goesOn)
            let rows = try source.prepare("SELECT sha256 FROM artifact UNION SELECT sha256 FROM upload")
            var named: [String] = []
            while try rows.step() { named.append(rows.text(0)) }
            summary.bytes = ArtifactDirectory.byteCount(path) ?? 0
            return named
        } catch {
            let failure = error.storeError(doing: "Copying the store failed", path: path)
            throw ArtifactFailure(failure.code == .diskFull ? .full : .unavailable, failure.detail)
        }
    }

    // MARK: Files

    private static func linkAll(from directory: String, to target: String) throws(ArtifactFailure) -> Int {
        var count = 0
        let source = ArtifactDirectory(existing: directory + "/artifacts")
        for folder in source.names(in: "") where folder.utf8.count == 2 {
            for name in source.names(in: folder) where ArtifactReference.isDigest(folder + name) {
                if try link(folder + name, from: directory, to: target) { count += 1 }
            }
        }
        return count
    }

    /// Links or copies one file. Returns false when it exists already or its job was erased meanwhile.
    private static func link(
        _ digest: String, from directory: String, to target: String
    ) throws(ArtifactFailure) -> Bool {
        guard ArtifactReference.isDigest(digest) else { return false }
        let place = ArtifactDirectory(existing: directory + "/artifacts").place(of: digest)
        let copies = ArtifactDirectory(existing: target + "/artifacts")
        let copy = copies.place(of: digest)
        if ArtifactDirectory.byteCount(copy) != nil { return false }
        _ = try ArtifactDirectory.make(folder: copies.path)
        _ = try ArtifactDirectory.make(folder: copies.folder(of: digest))
        if unsafe Glibc.link(place, copy) == 0 { return true }
        switch errno {
        case EEXIST, ENOENT: return false
        case EXDEV, EPERM, EMLINK, EOPNOTSUPP:
            try FileTree.copyFile(place, to: copy)
            return true
        case let code: throw ArtifactFile.failure("cannot be linked", place, code)
        }
    }

    private static func makeDurable(_ target: String) throws(ArtifactFailure) {
        try ArtifactFile.reading(target + "/jobs.db").sync()
        let artifacts = ArtifactDirectory(existing: target + "/artifacts")
        for folder in artifacts.names(in: "") {
            try ArtifactDirectory.sync(folder: "\(artifacts.path)/\(folder)")
        }
        if ArtifactDirectory.byteCount(artifacts.path) != nil {
            try ArtifactDirectory.sync(folder: artifacts.path)
        }
        try ArtifactDirectory.sync(folder: target)
    }
}
