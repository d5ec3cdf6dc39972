import Glibc
package import JobKit
package import JobStore

/// The folders under `artifacts/` and the names in them.
///
///     ab/cdef…       finished content by its SHA-256, the first two digits as a folder
///     drafts/17      content being written
///     partial/…      unfinished content that a later attempt resumes: `owner~name`
///     trash/18       unused content being removed
package struct ArtifactDirectory: Sendable {
    /// The path of `artifacts/`.
    package let path: String

    /// Creates the missing folders with mode 0700.
    package init(_ path: String) throws(JobStoreError) {
        self.path = path
        for folder in ["", "/drafts", "/partial", "/trash"] {
            if unsafe mkdir(path + folder, 0o700) != 0 && errno != EEXIST {
                let reason = unsafe String(cString: strerror(errno))
                throw JobStoreError(
                    .unavailable, "The directory \(path)\(folder) cannot be made (\(reason)).")
            }
        }
    }

    package init(existing path: String) { self.path = path }

    /// The path of finished content. `sha256` is 64 hexadecimal digits.
    package func place(of sha256: String) -> String { "\(folder(of: sha256))/\(sha256.dropFirst(2))" }

    /// Makes a written and synced draft the content with this digest, durably.
    package func adopt(_ draft: String, as sha256: String) throws(ArtifactFailure) {
        let folder = folder(of: sha256)
        if try Self.make(folder: folder) { try Self.sync(folder: path) }
        try Self.move(draft, to: place(of: sha256))
        try Self.sync(folder: folder)
    }

    /// Whether finished content is intact: by its length and, with a digest, by its bytes. Meaningless once `goesOn`
    /// has returned false.
    package func holds(
        _ artifact: ArtifactReference, makeDigest: (@Sendable () -> any RunningDigest)?, goesOn: () -> Bool
    ) -> Bool {
        let place = place(of: artifact.sha256)
        guard Self.byteCount(place) == artifact.bytes else { return false }
        guard let digest = makeDigest?() else { return true }
        do throws(ArtifactFailure) {
            try ArtifactFile.reading(place).add(artifact.bytes, to: digest, goesOn: goesOn)
            return HexText.encode(digest.finish()) == artifact.sha256
        } catch {
            return false
        }
    }

    /// The folder of finished content.
    package func folder(of sha256: String) -> String { "\(path)/\(sha256.prefix(2))" }

    /// The path of a draft.
    package func draft(_ number: Int) -> String { "\(path)/drafts/\(number)" }

    /// The path of content being removed.
    package func trash(_ number: Int) -> String { "\(path)/trash/\(number)" }

    /// The path of unfinished content.
    package func partial(_ key: ArtifactKey) -> String {
        "\(path)/partial/\(Self.plain(key.owner))~\(Self.plain(key.name))"
    }

    /// The owner in the name of a partial file.
    package static func owner(ofPartial name: String) -> String { String(name.prefix { $0 != "~" }) }

    /// Encodes text for a file name: letters, digits, `-` and `_` stay, other characters become `%` and their code. The
    /// end of a long text is replaced by a hash.
    private static func plain(_ text: String) -> String {
        var name = ""
        var mark: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 {
            mark = (mark ^ UInt64(byte)) &* 0x100_0000_01b3
            let isPlain = byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == 0x2D || byte == 0x5F
            name += isPlain ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16)
        }
        return name.utf8.count <= 100 ? name : "\(name.prefix(80))-\(String(mark, radix: 16))"
    }

    /// The names in a folder; empty when it does not exist.
    package func names(in folder: String) -> [String] {
        guard let listing = unsafe opendir("\(path)/\(folder)") else { return [] }
        defer { unsafe closedir(listing) }
        var names: [String] = []
        while let entry = unsafe readdir(listing) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Makes a change of the names in a folder durable.
    package static func sync(folder: String) throws(ArtifactFailure) {
        let file = try ArtifactFile.reading(folder)
        try file.sync()
    }

    /// A reader of the file at `path` with finished content.
    package static func reader(of path: String, bytes: Int) throws(ArtifactFailure) -> any ArtifactReader {
        try ArtifactFileReader(bytes: bytes, at: path)
    }

    /// The length of a file; nil when it does not exist.
    package static func byteCount(_ path: String) -> Int? {
        var facts = stat()
        return unsafe lstat(path, &facts) == 0 ? Int(facts.st_size) : nil
    }

    /// Removes drafts that were last written so long ago that the server that wrote them must be dead.
    func removeDrafts(olderThan seconds: Int) {
        for name in names(in: "drafts") {
            let path = "\(path)/drafts/\(name)"
            var facts = stat()
            let isOld = unsafe lstat(path, &facts) == 0 && facts.st_mtim.tv_sec < time(nil) - seconds
            if isOld { Self.remove(path) }
        }
    }

    package static func move(_ path: String, to other: String) throws(ArtifactFailure) {
        guard unsafe rename(path, other) == 0 else {
            let code = errno
            throw ArtifactFile.failure("cannot be moved", path, code)
        }
    }

    /// Gives a file another name. Returns whether it has it.
    static func link(_ path: String, to other: String) -> Bool { unsafe Glibc.link(path, other) == 0 }

    /// Whether a file has more than one name.
    static func hasOtherNames(_ path: String) -> Bool {
        var facts = stat()
        return unsafe lstat(path, &facts) == 0 && facts.st_nlink > 1
    }

    /// Removes a file if it exists.
    package static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// Creates a folder if missing. Returns whether it was.
    package static func make(folder: String) throws(ArtifactFailure) -> Bool {
        if unsafe mkdir(folder, 0o700) == 0 { return true }
        let code = errno
        guard code == EEXIST else { throw ArtifactFile.failure("cannot be made", folder, code) }
        return false
    }
}
