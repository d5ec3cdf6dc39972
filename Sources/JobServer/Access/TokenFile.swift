import ContentFiles
import FoundationEssentials

/// The file with the digests of all tokens: one entry a line; empty lines and lines that begin with `#` are skipped.
struct TokenFile: Sendable {
    /// The maximum size of the file.
    static let bytesMax = 1 << 20

    let path: String

    /// Reads all entries, in order.
    /// - Throws: when the file cannot be read, is too large, or has a malformed line; the text names the line.
    func read() throws(TokenFileError) -> [TokenEntry] {
        guard let content = FileManager.default.contents(atPath: path) else {
            let exists = FileManager.default.fileExists(atPath: path)
            throw TokenFileError(
                exists
                    ? "The token file \(path) cannot be read. Check its permissions."
                    : "There is no token file at \(path). "
                        + "Make one: jobserver token create --token-file \(path) --name me",
                isMissing: !exists)
        }
        guard content.count <= TokenFile.bytesMax else {
            throw TokenFileError("The token file \(path) is larger than 1 MiB.")
        }
        return try TokenFile.parse(String(decoding: content, as: UTF8.self), path: path)
    }

    static func parse(_ text: String, path: String) throws(TokenFileError) -> [TokenEntry] {
        var entries: [TokenEntry] = []
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            let content = trimmed(line)
            if content.isEmpty || content.utf8.first == 0x23 { continue }
            switch TokenEntry.parse(content) {
            case .failure(let error):
                throw TokenFileError("Line \(number) of the token file \(path): \(error).")
            case .success(let entry):
                guard !entries.contains(where: { $0.name == entry.name }) else {
                    throw TokenFileError(
                        "Line \(number) of the token file \(path): \"\(entry.name)\" is there twice.")
                }
                entries.append(entry)
            }
        }
        return entries
    }

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// Replaces the file atomically, with mode 0600.
    func write(_ entries: [TokenEntry]) throws(TokenFileError) {
        let header =
            "# Tokens of jobserver: name:sha256[:scopes[:options]]. The tokens themselves are stored nowhere.\n"
        let text = header + entries.map { $0.line + "\n" }.joined()
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch {
            throw TokenFileError(
                "The token file \(path) cannot be written. Check its directory and permissions.")
        }
    }

    /// Changes the entries, of a missing file none. One command at a time: of two, each would write what it has read,
    /// and the change of one would be lost.
    /// - Parameter patience: the time to wait for another command.
    /// - Throws: when another command does not end, the file cannot be read or written, or `edit` refuses.
    func change(
        patience: Duration = .seconds(5), _ edit: (inout [TokenEntry]) throws(TokenFileError) -> Void
    ) throws(TokenFileError) {
        let lock = try lock(patience)
        defer { lock.release() }
        var entries: [TokenEntry] = []
        if exists { entries = try read() }
        try edit(&entries)
        try write(entries)
    }

    private func lock(_ patience: Duration) throws(TokenFileError) -> FileLock {
        let place = path + ".lock"
        do throws(FileLock.Failure) {
            return try FileLock(place, patience: patience)
        } catch {
            switch error {
            case .taken:
                throw TokenFileError(
                    "Another command changes the token file \(path) and holds \(place). Try again when it has ended."
                )
            case .unusable(let reason):
                throw TokenFileError(
                    "The token file \(path) cannot be changed: \(place) cannot be locked (\(reason)). "
                        + "Check the directory and its permissions.")
            }
        }
    }

    /// The facts by which a change is noticed; nil when there is no file. Of the file itself, also where the path is a
    /// link, as in each volume of Kubernetes: the link stays the same when the volume gets another content.
    var facts: FileFacts? { FileFacts(path) }

    private static func trimmed(_ line: Substring) -> Substring {
        var line = line
        while let last = line.utf8.last, last == 0x20 || last == 0x09 || last == 0x0D { line.removeLast() }
        while let first = line.utf8.first, first == 0x20 || first == 0x09 { line.removeFirst() }
        return line
    }
}
