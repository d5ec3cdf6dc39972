package import HTTPMessage
package import JobKit
package import JobStore
import Synchronization

// DESIGN
// Drafts are written on the thread of their owner, into the page cache; operations that wait for the disk (fsync,
// reading a resumed file for its digest, removal) run on two worker threads. A finished draft is moved to its
// name and *pinned* for its owner under one lock, and the writer of the store removes a file only when no row names it
// and no pin holds it, under the same lock. So content that a run has just finished and not stored yet is never taken
// for unused, and the writer needs no list of unfinished work. A crash loses only pins: the next start removes all
// files without rows.

/// Finished and unfinished content in the directory `artifacts`.
package final class ArtifactFiles: ArtifactPlace {
    private struct Desk {
        /// The owners of finished content that is not stored yet, by digest, and the digests by owner.
        var pins: [String: Set<String>] = [:]
        var pinned: [String: Set<String>] = [:]
        /// The unfinished content that is kept, by owner, and what of it is being written.
        var partials: [String: Set<String>] = [:]
        var open: Set<String> = []
        var nextNumber = 1
        /// The bytes of finished content in the folders that were counted, and these folders; nil when all were.
        var bytes = 0
        var counted: Set<String>? = []
        var uncounted: [String] = []

        /// Moves a file to a name that no other file has or had; nil when there is no such file.
        mutating func moveToTrash(_ path: String, of directory: ArtifactDirectory) -> String? {
            nextNumber += 1
            let trash = directory.trash(nextNumber)
            return (try? ArtifactDirectory.move(path, to: trash)) == nil ? nil : trash
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
    let writeBack: WriteBack
    private let desk = Mutex(Desk())
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
        writeBack = WriteBack(workers)
        let drafts = directory.names(in: "drafts").map { "\(path)/drafts/\($0)" }
        let trash = directory.names(in: "trash")
        leftovers = drafts + trash.map { "\(path)/trash/\($0)" }
        let highest = trash.compactMap { Int($0) }.max() ?? 0
        let partials = directory.names(in: "partial")
        desk.withLock { desk in
            desk.nextNumber = max(highest, 0) + 1
            for name in partials {
                let owner = ArtifactDirectory.owner(ofPartial: name)
                desk.partials[owner, default: []].insert("\(path)/partial/\(name)")
            }
        }
        for draft in drafts { ArtifactDirectory.remove(draft) }
    }

    deinit { workers.close() }

    /// Ends the threads when all work is done. Later work runs on the thread that asks for it.
    package func close() { workers.close() }

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
        desk.withLock { desk in
            if desk.uncounted.isEmpty {
                desk.uncounted = directory.names(in: "").filter { $0.utf8.count == 2 && !desk.hasCounted($0) }
            }
            if desk.uncounted.isEmpty { desk.counted = nil }
            return desk.uncounted.popLast()
        }
    }

    /// Counts the finished content in a folder, and returns its digests.
    private func count(_ folder: String) -> [String] {
        desk.withLock { desk in
            let digests = directory.names(in: folder).map { folder + $0 }.filter {
                ArtifactReference.isDigest($0)
            }
            for digest in digests {
                desk.bytes += ArtifactDirectory.byteCount(directory.place(of: digest)) ?? 0
            }
            desk.counted?.insert(folder)
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
        try ArtifactFileDraft(fileOf: self, owner: owner)
    }

    package func partial(_ key: ArtifactKey, keeping bytes: Int) async throws(ArtifactFailure)
        -> any ArtifactDraft
    {
        let path = openPartial(key)
        let made = await workers.result { [self] in
            Result { () throws(ArtifactFailure) in
                try ArtifactFileDraft(files: self, owner: key.owner, partial: path, keeping: bytes)
            }
        }
        if case .failure = made { rest(path) }
        return try made.get()
    }

    package func partialBytes(_ range: Range<Int>, of key: ArtifactKey) async -> [UInt8]? {
        let path = directory.partial(key)
        return await workers.result {
            guard let length = ArtifactDirectory.byteCount(path), length >= range.upperBound else {
                return nil
            }
            return try? ArtifactFileReader(growing: path).localBytes(range)
        }
    }

    package func newPartial(_ key: ArtifactKey) throws(ArtifactFailure) -> any ArtifactDraft {
        let path = openPartial(key)
        do throws(ArtifactFailure) {
            return try ArtifactFileDraft(files: self, owner: key.owner, partial: path, keeping: 0)
        } catch {
            rest(path)
            throw error
        }
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
        return try ArtifactFileReader(bytes: artifact.bytes, at: directory.place(of: artifact.sha256))
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

    /// Pins finished content for an owner, if it is there.
    package func pin(_ artifact: ArtifactReference, for owner: String) -> Bool {
        desk.withLock { desk in
            let place = directory.place(of: artifact.sha256)
            guard ArtifactDirectory.byteCount(place) == artifact.bytes else { return false }
            desk.pins[artifact.sha256, default: []].insert(owner)
            desk.pinned[owner, default: []].insert(artifact.sha256)
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
        let gone = desk.withLock { desk -> [String] in
            guard desk.partials.count > 0 else { return [] }
            var idle: [(owner: String, path: String, bytes: Int)] = []
            for (owner, paths) in desk.partials {
                for path in paths where !desk.open.contains(path) {
                    idle.append((owner, path, ArtifactDirectory.byteCount(path) ?? 0))
                }
            }
            if orNone, idle.reduce(0, { $0 + $1.bytes }) < wanted { return [] }
            idle.sort { $0.bytes > $1.bytes }
            var (gone, freed): ([String], Int) = ([], 0)
            for part in idle where freed < wanted {
                desk.forget(part.path, of: part.owner)
                guard let trash = desk.moveToTrash(part.path, of: directory) else { continue }
                gone.append(trash)
                freed += part.bytes
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
    package func nextNumber() -> Int {
        desk.withLock { desk in
            desk.nextNumber += 1
            return desk.nextNumber
        }
    }

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
        let moved = desk.withLock { desk -> Result<Void, ArtifactFailure> in
            let before = ArtifactDirectory.byteCount(place) ?? 0
            do throws(ArtifactFailure) {
                try ArtifactDirectory.move(isLinked ? other : draft, to: place)
            } catch {
                return .failure(error)
            }
            // Two names of one file: the move did nothing.
            if isLinked { ArtifactDirectory.remove(other) }
            if desk.hasCounted(String(artifact.sha256.prefix(2))) { desk.bytes += artifact.bytes - before }
            desk.pins[artifact.sha256, default: []].insert(owner)
            desk.pinned[owner, default: []].insert(artifact.sha256)
            if isLinked { desk.open.remove(draft) } else { desk.forget(draft, of: owner) }
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
        desk.withLock { desk in
            for digest in digests where desk.pins[digest] == nil {
                guard let trash = desk.moveToTrash(directory.place(of: digest), of: directory) else {
                    continue
                }
                gone.append(trash)
                if desk.hasCounted(String(digest.prefix(2))) {
                    desk.bytes -= ArtifactDirectory.byteCount(trash) ?? 0
                }
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
            return paths.compactMap { desk.moveToTrash($0, of: directory) }
        }
        removeLater(gone)
    }

    /// Removes unfinished content. From now on its key may name new content.
    func remove(_ path: String, of owner: String) {
        let trash = desk.withLock { desk -> String? in
            desk.forget(path, of: owner)
            return desk.moveToTrash(path, of: directory)
        }
        if let trash { removeLater([trash]) }
    }

    /// The owners of unfinished content.
    package var ownersOfPartials: [String] { desk.withLock { Array($0.partials.keys) } }

    private func removeLater(_ paths: [String]) {
        guard !paths.isEmpty else { return }
        workers.add { for path in paths { ArtifactDirectory.remove(path) } }
    }
}
