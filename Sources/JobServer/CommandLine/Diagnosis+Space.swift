import Commands
import ContentFiles
import SQLiteStore

/// Findings about the space of a data directory.
extension Diagnosis {
    /// Below this number of free inodes new files may fail.
    private static let filesMin = 100
    /// The number of unfinished downloads that are listed.
    private static let partialsMax = 20

    /// Free space, and what takes it.
    static func space(_ space: DiskSpace, _ reserve: DiskReserve.Size, _ use: DirectoryUse) -> [Finding] {
        [free(space, reserve.bytes(of: space)), taken(use)] + partials(use)
    }

    private static func free(_ space: DiskSpace, _ reserve: Int) -> Finding {
        let text =
            "\(ByteSizeText.short(space.free)) free of \(ByteSizeText.short(space.total)), "
            + "\(ByteSizeText.short(reserve)) kept for deletions and running jobs"
        if let files = space.freeFiles, files < filesMin {
            return Finding(
                .wrong, "\(text); \(files) free inodes",
                remedy: "remove some files; until then results may not be kept (storage.full)")
        }
        if space.free < reserve {
            return Finding(
                .wrong, text,
                remedy: "free some space, or erase jobs with large results; until then new jobs are refused "
                    + "(503 storage.disk_full)")
        }
        if space.free < 4 * reserve {
            return Finding(.notice, text, remedy: "free some space before it is needed")
        }
        return Finding(.fine, text)
    }

    private static func taken(_ use: DirectoryUse) -> Finding {
        let size = ByteSizeText.short
        var parts = [
            "database \(size(use.database))", "write-ahead log \(size(use.log))",
            "results \(size(use.content)) in \(Counted.text(use.contentFiles, "file"))",
        ]
        let unfinished = use.partials.reduce(0) { $0 + $1.file.bytes }
        if unfinished > 0 { parts.append("unfinished downloads \(size(unfinished))") }
        if use.drafts > 0 { parts.append("results being written \(size(use.drafts))") }
        if use.backups > 0 { parts.append("unfinished backups \(size(use.backups))") }
        let largest = use.largest.map { "\($0.path) \(size($0.bytes))" }
        return Finding(
            .fine,
            parts.joined(separator: ", ")
                + (largest.isEmpty ? "" : "; the largest files: " + largest.joined(separator: ", ")))
    }

    private static func partials(_ use: DirectoryUse) -> [Finding] {
        var found = use.partials.prefix(partialsMax).map { partial in
            let owner = partial.job.map { "of \($0)" } ?? "of an unknown job"
            return Finding(
                .notice,
                "an unfinished download \(owner) takes \(ByteSizeText.short(partial.file.bytes)): \(partial.file.path)",
                remedy: partial.job.map {
                    "nothing, if its retry is to resume it; else erase the job: curl -X DELETE …/v1/jobs/\($0)"
                } ?? "nothing: the next start removes it")
        }
        if use.partials.count > partialsMax {
            found.append(
                Finding(
                    .notice, "\(use.partials.count - partialsMax) more unfinished downloads are smaller",
                    remedy: "they are given up when space runs out"))
        }
        return found
    }
}
