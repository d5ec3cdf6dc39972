import ContentFiles
import Foundation
import JobKit
import Testing

/// A file system besides that of temporary files.
private enum OtherDisk {
    static let path = "/dev/shm"

    /// Whether there is one.
    static var exists: Bool {
        guard let other = device(path), FileManager.default.isWritableFile(atPath: path) else { return false }
        return other != device(FileManager.default.temporaryDirectory.path)
    }

    private static func device(_ path: String) -> UInt64? {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? UInt64(facts.st_dev) : nil
    }
}

@Suite struct `A folder that is moved to another file system` {
    @Test(.enabled(if: OtherDisk.exists)) func `leaves nothing there when it cannot be copied`() throws {
        let manager = FileManager.default
        let name = "moved-\(UUID().uuidString)"
        let source = manager.temporaryDirectory.appending(path: name).path
        let target = "\(OtherDisk.path)/\(name)"
        defer {
            for path in [source, target, target + ".partial"] { try? manager.removeItem(atPath: path) }
        }
        try manager.createDirectory(atPath: source, withIntermediateDirectories: true)
        try Data("content".utf8).write(to: URL(filePath: source + "/file"))
        // A link is not copied.
        try manager.createSymbolicLink(atPath: source + "/link", withDestinationPath: "file")
        #expect(throws: ArtifactFailure.self) { try FileTree.move(source, to: target) }
        #expect(!manager.fileExists(atPath: target))
        #expect(!manager.fileExists(atPath: target + ".partial"))
        #expect(manager.fileExists(atPath: source + "/file"))
        try manager.removeItem(atPath: source + "/link")
        try FileTree.move(source, to: target)
        #expect(manager.contents(atPath: target + "/file") == Data("content".utf8))
        #expect(!manager.fileExists(atPath: source))
    }
}
