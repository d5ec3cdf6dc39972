package import HTTPMessage
package import JobKit
package import JobStore
import Synchronization

// DESIGN
// Everything that may wait for the disk (write, fsync, reading a resumed file for its digest, removal) runs on two
// worker threads, for each unfinished file in the order in which its owner asked for it (`GrowingFile`). A finished
// draft is moved to its name and *pinned* for its owner under one lock, and the writer of the store removes a file only
// when no row names it and no pin holds it, under the same lock. So content that a run has just finished and not stored
// yet is never taken for unused, and the writer needs no list of unfinished work. A crash loses only pins: the next
// start removes all files without rows. The owners' threads never take that lock: what they need has another, under
// which no file is touched.

/// Finished and unfinished content in the directory `artifacts`.
package final class ArtifactFiles: ArtifactPlace {
    private struct Desk {
        /// The owners of finished content that is not stored yet, by digest, and the digests by owner.
        var pins: [String: Set<String>] = [:]
        var pinned: [String: Set<String>] = [:]
        /// The unfinished content that is kept, by owner, and what of it is being written.
        var partials: [String: Set<String>] = [:]
        var open: Set<String> = []
        /// The bytes of finished content in the folders that were counted, and these folders; nil when all were.
        var bytes = 0
        var counted: Set<String>? = []
        var uncounted: [String] = []

        mutating func pin(_ sha256: String, for owner: String) {
            pins[sha256, default: []].insert(owner)
            pinned[owner, default: []].insert(sha256)
        }

        func hasCounted(_ folder: String) -> Bool { counted?.contains(folder) ?? true }

        mutating func forget(_ partial: String, of owner: String) {
            partials[owner]?.remove(partial)
            if partials[owner]?.isEmpty == true { partials[owner] = nil }
            open.remove(partial)
        }
    }

    package let options: ArtifactOptions
    package let directory: ArtifactDirectory
    package let live: LiveBoard? = LiveBoard()
    let workers: ArtifactWorkers
    /// One that reads finished content, so that answers do not wait for what is written.
    private let reader: ArtifactWorkers
    let writeBack = WriteBack()
    private let desk = Mutex(Desk())
    /// Held while finished content gets or loses its name.
    private let naming = Mutex(())
    /// The number of the last draft.
    private let lastNumber: Atomic<Int>
    /// The bytes that may be written before the next look at the disk.
    private let allowance = Atomic<Int>(0)
    /// The maximum of `allowance`.
    private static let lookEvery = 1 << 20
    private let collector = Mutex<(@Sendable ([String]) -> Void)?>(nil)
    private let leftovers: [String]

    package init(path: String, options: ArtifactOptions) throws(JobStoreError) {
        self.options = options
        directory = try ArtifactDirectory(path)
        workers = try ArtifactWorkers(count: 2)
        reader = try ArtifactWorkers(count: 1, "file-reader")
        let drafts = directory.names(in: "drafts").map { "\(path)/drafts/\($0)" }
        let trash = directory.names(in: "trash")
        leftovers = drafts + trash.map { "\(path)/trash/\($0)" }
        lastNumber = Atomic(max(0, trash.compactMap { Int($0) }.max() ?? 0))
        let partials = directory.names(in: "partial")
        desk.withLock { desk in
            for name in partials {
                let owner = ArtifactDirectory.owner(ofPartial: name)
                desk.partials[owner, default: []].insert("\(path)/partial/\(name)")
            }
        }
        for draft in drafts { ArtifactDirectory.remove(draft) }
    }

    deinit { close() }

    /// Ends the threads when all work is done. Later work runs on the thread that asks for it.
    package func close() {
        workers.close()
        reader.close()
    }

    /// Removes what an earlier process left behind, and from now on passes possibly unused content to `collect`.
    package func begin(collect: @escaping @Sendable ([String]) -> Void) {
        collector.withLock { $0 = collect }
        workers.add { [self] in
            for path in leftovers { ArtifactDirectory.remove(path) }
            while let folder = nextFolder() {
                let digests = count(folder)
                if !digests.isEmpty { collect(digests) }
            }
        }
    }

    /// A folder of finished content that was not counted yet; nil when all were.
    private func nextFolder() -> String? {
        if let folder = desk.withLock({ $0.uncounted.popLast() }) { return folder }
        return naming.withLock { _ in
            let folders = directory.names(in: "").filter { $0.utf8.count == 2 }
            return desk.withLock { desk in
                desk.uncounted = folders.filter { !desk.hasCounted($0) }
                if desk.uncounted.isEmpty { desk.counted = nil }
                return desk.uncounted.popLast()
            }
        }
    }

    /// Counts the finished content in a folder, and returns its digests.
    private func count(_ folder: String) -> [String] {
        naming.withLock { _ in
            let digests = directory.names(in: folder).map { folder + $0 }.filter {
                ArtifactReference.isDigest($0)
            }
            let bytes = digests.reduce(0) {
                $0 + (ArtifactDirectory.byteCount(directory.place(of: $1)) ?? 0)
            }
            desk.withLock { desk in
                desk.bytes += bytes
                desk.counted?.insert(folder)
            }
            return digests
        }
    }

    // MARK: The port

    package var inlineBytesMax: Int { options.inlineBytesMax }

    package var backpressure: (any Backpressure)? { writeBack }

    package func draft(for owner: String) -> any ArtifactDraft {
        ArtifactFileDraft(files: self, owner: owner)
    }

    package func fileDraft(for owner: String) throws(ArtifactFailure) -> any ArtifactDraft {
        ArtifactFileDraft(fileOf: self, owner: owner)
    }

    package func partial(_ key: ArtifactKey, keeping bytes: Int) async throws(ArtifactFailure)
        -> any ArtifactDraft
    {
        let path = openPartial(key)
        let made = await workers.result(on: path) { [self] in
            Result { () throws(ArtifactFailure) in
                try GrowingFile(resuming: path, after: bytes, of: self)
            }
        }
        if case .failure = made { rest(path) }
        return ArtifactFileDraft(files: self, owner: key.owner, partial: try made.get())
    }

    package func partialBytes(_ range: Range<Int>, of key: ArtifactKey) async -> [UInt8]? {
        let path = directory.partial(key)
        return await workers.result(on: path) {
            guard let length = ArtifactDirectory.byteCount(path), length >= range.upperBound else {
                return nil
            }
            return try? ArtifactFileReader(bytes: length, at: path).localBytes(range)
        }
    }

    package func newPartial(_ key: ArtifactKey) throws(ArtifactFailure) -> any ArtifactDraft {
        ArtifactFileDraft(files: self, owner: key.owner, partial: GrowingFile(openPartial(key), of: self))
    }

    private func openPartial(_ key: ArtifactKey) -> String {
        let path = directory.partial(key)
        desk.withLock { desk in
            desk.partials[key.owner, default: []].insert(path)
            desk.open.insert(path)
        }
        return path
    }

    package func removePartial(_ key: ArtifactKey) {
        remove(directory.partial(key), of: key.owner)
    }

    package func open(_ artifact: ArtifactReference) throws(ArtifactFailure) -> any ArtifactReader {
        guard ArtifactReference.isDigest(artifact.sha256) else {
            throw ArtifactFailure(.missing, "The name of the stored content is malformed.")
        }
        return try ArtifactFileReader(
            bytes: artifact.bytes, at: directory.place(of: artifact.sha256), on: reader)
    }

    package func release(owner: String) {
        live?.forget(owner)
        let freed = desk.withLock { desk -> Set<String> in
            guard let digests = desk.pinned.removeValue(forKey: owner) else { return [] }
            for digest in digests {
                desk.pins[digest]?.remove(owner)
                if desk.pins[digest]?.isEmpty == true { desk.pins[digest] = nil }
            }
            return digests
        }
        if !freed.isEmpty { collector.withLock { $0 }?(Array(freed)) }
    }

    /// Pins finished content for an owner, if it is there. On a worker.
    package func pin(_ artifact: ArtifactReference, for owner: String) -> Bool {
        naming.withLock { _ in
            let place = directory.place(of: artifact.sha256)
            guard ArtifactDirectory.byteCount(place) == artifact.bytes else { return false }
            desk.withLock { $0.pin(artifact.sha256, for: owner) }
            return true
        }
    }

    // MARK: Space

    package func checkRoom(for bytes: Int) throws(ArtifactFailure) {
        guard let room = options.reserve.room(at: directory.path), room.left < bytes else { return }
        // The length is a claim of the sender: one that no disk has room for costs others nothing.
        let (missing, isBeyond) = bytes.subtractingReportingOverflow(room.left)
        if !isBeyond { giveUpPartials(freeing: missing, orNone: true) }
        throw room.failure(bytes, at: directory.path, for: "The content")
    }

    /// Checks that the next bytes fit. The system is not asked for every piece.
    func take(space bytes: Int) throws(ArtifactFailure) {
        if bytes == 0 || allowance.subtract(bytes, ordering: .relaxed).newValue >= 0 { return }
        allowance.store(0, ordering: .relaxed)
        guard let room = options.reserve.room(at: directory.path) else { return }
        guard room.left >= bytes else {
            giveUpPartials(freeing: room.reserve)
            throw room.failure(bytes, at: directory.path, for: "The next part of the content")
        }
        // Several drafts may use what is allowed to one.
        allowance.store(min(Self.lookEvery, (room.left - bytes) / 16), ordering: .relaxed)
    }

    /// Removes unfinished content that no run writes at the moment, the largest first: its downloads begin anew.
    /// - Parameters:
    ///   - wanted: the number of bytes that is enough.
    ///   - orNone: whether all is kept when there is less than that.
    package func giveUpPartials(freeing wanted: Int = .max, orNone: Bool = false) {
        let paths = desk.withLock { desk in
            desk.partials.flatMap { owner, paths in paths.subtracting(desk.open).map { (owner, $0) } }
        }
        var idle = paths.map { ($0, $1, bytes: ArtifactDirectory.byteCount($1) ?? 0) }
        if orNone, idle.reduce(0, { $0 + $1.bytes }) < wanted { return }
        idle.sort { $0.bytes > $1.bytes }
        let gone = desk.withLock { desk in
            var (gone, freed): ([String], Int) = ([], 0)
            for (owner, path, bytes) in idle where freed < wanted && !desk.open.contains(path) {
                desk.forget(path, of: owner)
                gone.append(path)
                freed += bytes
            }
            return gone
        }
        removeLater(gone)
    }

    /// The space of the disk and of content; nil when the disk cannot be read. Content is counted in the background
    /// after the start.
    package var space: StoreSpace? {
        guard let room = options.reserve.room(at: directory.path) else { return nil }
        var space = StoreSpace(freeBytes: room.free, reserveBytes: room.reserve)
        space.contentBytes = desk.withLock { $0.bytes }
        for folder in ["drafts", "partial"] {
            for name in directory.names(in: folder) {
                space.unfinishedBytes +=
                    ArtifactDirectory.byteCount("\(directory.path)/\(folder)/\(name)") ?? 0
            }
        }
        return space
    }

    // MARK: For drafts

    /// Unfinished content is kept, and no longer written.
    func rest(_ path: String) { desk.withLock { _ = $0.open.remove(path) } }

    /// A number that no other draft has.
    package func nextNumber() -> Int { lastNumber.add(1, ordering: .relaxed).newValue }

    func newFile() -> GrowingFile { GrowingFile(directory.draft(nextNumber()), of: self) }

    /// Moves a durable draft to its name and pins it. It replaces content that exists already, which repairs bytes
    /// damaged on the disk. On a worker.
    /// - Parameter keepsDraft: whether the file keeps its name as a draft, too, where the file system can do that.
    package func keep(
        _ draft: String, as artifact: ArtifactReference, for owner: String, keepsDraft: Bool = false
    ) throws(ArtifactFailure) {
        let folder = directory.folder(of: artifact.sha256)
        if try ArtifactDirectory.make(folder: folder) { try ArtifactDirectory.sync(folder: directory.path) }
        let place = directory.place(of: artifact.sha256)
        let other = keepsDraft ? directory.draft(nextNumber()) : draft
        let isLinked = keepsDraft && ArtifactDirectory.link(draft, to: other)
        let moved = naming.withLock { _ -> Result<Void, ArtifactFailure> in
            let before = ArtifactDirectory.byteCount(place) ?? 0
            do throws(ArtifactFailure) {
                try ArtifactDirectory.move(isLinked ? other : draft, to: place)
            } catch {
                return .failure(error)
            }
            // Two names of one file: the move did nothing.
            if isLinked { ArtifactDirectory.remove(other) }
            desk.withLock { desk in
                if desk.hasCounted(String(artifact.sha256.prefix(2))) {
                    desk.bytes += artifact.bytes - before
                }
                desk.pin(artifact.sha256, for: owner)
                if isLinked { desk.open.remove(draft) } else { desk.forget(draft, of: owner) }
            }
            return .success(())
        }
        try moved.get()
        try ArtifactDirectory.sync(folder: folder)
    }

    /// Stops keeping unfinished content.
    package func forgetPartial(_ path: String, of owner: String) {
        desk.withLock { $0.forget(path, of: owner) }
    }

    // MARK: For the writer

    /// Removes content that no row names, unless a run has just finished it. On the writer thread.
    package func retire(_ digests: [String]) {
        var gone: [String] = []
        naming.withLock { _ in
            let unpinned = desk.withLock { desk in digests.filter { desk.pins[$0] == nil } }
            for digest in unpinned {
                let trash = directory.trash(nextNumber())
                guard (try? ArtifactDirectory.move(directory.place(of: digest), to: trash)) != nil else {
                    continue
                }
                gone.append(trash)
                let bytes = ArtifactDirectory.byteCount(trash) ?? 0
                desk.withLock { if $0.hasCounted(String(digest.prefix(2))) { $0.bytes -= bytes } }
            }
        }
        removeLater(gone)
    }

    /// Removes all unfinished content of an owner.
    package func removePartials(of owner: String) {
        let gone = desk.withLock { desk -> [String] in
            guard !desk.partials.isEmpty, let paths = desk.partials.removeValue(forKey: owner) else {
                return []
            }
            desk.open.subtract(paths)
            return Array(paths)
        }
        removeLater(gone)
    }

    /// Removes unfinished content. From now on its key may name new content.
    func remove(_ path: String, of owner: String) {
        forgetPartial(path, of: owner)
        removeLater([path])
    }

    /// The owners of unfinished content.
    package var ownersOfPartials: [String] { desk.withLock { Array($0.partials.keys) } }

    /// Removes files after all that was asked for on them before.
    private func removeLater(_ paths: [String]) {
        for path in paths { workers.add(on: path) { ArtifactDirectory.remove(path) } }
    }
}
