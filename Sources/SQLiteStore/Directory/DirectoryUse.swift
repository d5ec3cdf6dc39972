import ContentFiles
package import JobKit

/// The space of a data directory by its parts, and its largest files. Reads the size of every file in it.
package struct DirectoryUse: Sendable, Hashable {
    /// A file, relative to the directory.
    package struct File: Sendable, Hashable {
        package var path: String
        package var bytes: Int
    }

    /// Unfinished content, which a later attempt of its job resumes.
    package struct Partial: Sendable, Hashable {
        package var file: File
        /// The job; nil when the name does not tell.
        package var job: JobID?
    }

    /// The bytes of the database, of its log, of finished content, of content being written, and of unfinished backups.
    package var database = 0
    package var log = 0
    package var content = 0
    package var drafts = 0
    package var backups = 0
    /// The number of files with finished content.
    package var contentFiles = 0
    /// The largest first.
    package var partials: [Partial] = []
    /// The largest files, at most five, the largest first.
    package var largest: [File] = []

    private static let largestMax = 5

    /// Reads the use of the directory at `path`.
    /// - Parameter backupPrefix: the beginning of the names of unfinished backups.
    package init(_ path: String, backupPrefix: String) {
        let artifacts = ArtifactDirectory(existing: path + "/artifacts")
        for name in ArtifactDirectory(existing: path).names(in: "") where name != "artifacts" {
            guard !name.utf8.starts(with: backupPrefix.utf8) else {
                let bytes = FileTree.byteCount("\(path)/\(name)")
                backups += bytes
                note(File(path: name, bytes: bytes))
                continue
            }
            let bytes = ArtifactDirectory.byteCount("\(path)/\(name)") ?? 0
            if name == "jobs.db" { database = bytes }
            if name == "jobs.db-wal" { log = bytes }
            note(File(path: name, bytes: bytes))
        }
        for folder in artifacts.names(in: "") {
            for name in artifacts.names(in: folder) {
                let file = File(
                    path: "artifacts/\(folder)/\(name)",
                    bytes: ArtifactDirectory.byteCount("\(artifacts.path)/\(folder)/\(name)") ?? 0)
                note(file)
                switch folder {
                case "partial":
                    let owner = ArtifactDirectory.owner(ofPartial: name)
                    partials.append(Partial(file: file, job: JobID(owner)))
                case "drafts", "trash": drafts += file.bytes
                default:
                    content += file.bytes
                    contentFiles += 1
                }
            }
        }
        partials.sort { $0.file.bytes > $1.file.bytes }
    }

    private mutating func note(_ file: File) {
        guard file.bytes > 0 else { return }
        let place = largest.firstIndex { $0.bytes < file.bytes } ?? largest.count
        largest.insert(file, at: place)
        if largest.count > Self.largestMax { largest.removeLast() }
    }
}
