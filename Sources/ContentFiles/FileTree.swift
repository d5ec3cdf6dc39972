import Glibc
package import JobKit
import JobStore

/// Operations on whole files and folders.
package enum FileTree {
    private static let pieceBytes = 1 << 20

    /// Copies one file and syncs the copy to disk.
    package static func copyFile(_ path: String, to other: String) throws(ArtifactFailure) {
        let source = try ArtifactFile.reading(path)
        let copy = try ArtifactFile.writing(other)
        source.expectReading()
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        var offset = 0
        while true {
            var span = piece.mutableSpan
            let count = try source.read(at: offset, into: &span)
            if count == 0 { break }
            try copy.append(piece.span.extracting(0..<count))
            offset += count
        }
        try copy.sync()
    }

    /// Moves a folder with its contents; across file systems it is copied and then removed.
    package static func move(_ path: String, to other: String) throws(ArtifactFailure) {
        if unsafe rename(path, other) == 0 { return try ArtifactDirectory.sync(folder: parent(of: other)) }
        let code = errno
        guard code == EXDEV else { throw ArtifactFile.failure("cannot be moved", path, code) }
        // No store writes to that disk: all of it may be taken.
        try DiskReserve(.bytes(0)).check(byteCount(path), at: parent(of: other), for: "The copy of \(path)")
        let draft = other + ".partial"
        remove(draft)
        do throws(ArtifactFailure) {
            try copyFolder(path, to: draft)
            try ArtifactDirectory.move(draft, to: other)
        } catch {
            // It may be what fills the other file system.
            remove(draft)
            throw error
        }
        try ArtifactDirectory.sync(folder: parent(of: other))
        remove(path)
    }

    private static func copyFolder(_ path: String, to other: String) throws(ArtifactFailure) {
        _ = try ArtifactDirectory.make(folder: other)
        for name in ArtifactDirectory(existing: path).names(in: "") {
            if isFolder("\(path)/\(name)") {
                try copyFolder("\(path)/\(name)", to: "\(other)/\(name)")
            } else {
                try copyFile("\(path)/\(name)", to: "\(other)/\(name)")
            }
        }
        try ArtifactDirectory.sync(folder: other)
    }

    /// The bytes of a file, or of all files in a folder.
    package static func byteCount(_ path: String) -> Int {
        guard isFolder(path) else { return ArtifactDirectory.byteCount(path) ?? 0 }
        return ArtifactDirectory(existing: path).names(in: "").reduce(0) { $0 + byteCount("\(path)/\($1)") }
    }

    /// Removes a file, or a folder with its contents, if it exists.
    package static func remove(_ path: String) {
        guard isFolder(path) else { return ArtifactDirectory.remove(path) }
        for name in ArtifactDirectory(existing: path).names(in: "") { remove("\(path)/\(name)") }
        _ = unsafe rmdir(path)
    }

    private static func isFolder(_ path: String) -> Bool {
        var facts = stat()
        return unsafe lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
