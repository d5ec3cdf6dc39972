internal import FoundationEssentials

// DESIGN
// A hint for people, and nothing that anything depends on: it is written without a lock and without fsync, and where it
// cannot be written or read there is no last job. Of two commands at the same time one entry may be lost.

/// The job that this user submitted last to a server, from this directory or from any: `-` in the commands for jobs.
struct LastJob {
    private let path: String
    private let directory: String
    private let url: String

    /// The maximum number of directories that are remembered.
    private static let entriesMax = 100
    private static let bytesMax = 1 << 20

    private struct Entry {
        let directory: String
        let url: String
        let id: String
    }

    /// - Parameter environment: names the directory for the state of programs (XDG_STATE_HOME, or HOME).
    /// - Returns: nil when there is no such directory.
    init?(_ environment: [String: String], url: String) {
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 + "/.local/state" }
        guard let state = environment["XDG_STATE_HOME"].flatMap({ $0.isEmpty ? nil : $0 }) ?? home else {
            return nil
        }
        path = state + "/jobserver/last-jobs"
        directory = FileManager.default.currentDirectoryPath
        self.url = url
    }

    /// The id of the job; that of this directory wins.
    var id: String? {
        let entries = entries().filter { $0.url.utf8.elementsEqual(url.utf8) }
        return (entries.last { isHere($0) } ?? entries.last)?.id
    }

    func remember(_ id: String) {
        let separators = [UInt8(ascii: "\t"), UInt8(ascii: "\n")]
        guard !id.isEmpty, !(directory + url + id).utf8.contains(where: separators.contains) else { return }
        let others = entries().filter { !(isHere($0) && $0.url.utf8.elementsEqual(url.utf8)) }
        let all = others.suffix(Self.entriesMax - 1) + [Entry(directory: directory, url: url, id: id)]
        let text = all.map { "\($0.directory)\t\($0.url)\t\($0.id)\n" }.joined()
        let manager = FileManager.default
        let folder = URL(filePath: path).deletingLastPathComponent().path
        try? manager.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    }

    private func isHere(_ entry: Entry) -> Bool { entry.directory.utf8.elementsEqual(directory.utf8) }

    private func entries() -> [Entry] {
        guard let content = FileManager.default.contents(atPath: path), content.count <= Self.bytesMax else {
            return []
        }
        return content.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let parts = line.split(separator: UInt8(ascii: "\t")).map { String(decoding: $0, as: UTF8.self) }
            return parts.count == 3 ? Entry(directory: parts[0], url: parts[1], id: parts[2]) : nil
        }
    }
}
