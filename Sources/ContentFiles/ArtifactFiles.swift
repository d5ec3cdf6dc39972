package import JobKit
package import JobStore
import Synchronization

// DESIGN
// Drafts are written on the thread of their owner, into the page cache; operations that wait for the disk (fsync,
// reading a partial file again for its digest, removal) run on two worker threads. A finished draft is moved to its
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
        /// The unfinished content that is kept, by owner.
        var partials: [String: Set<String>] = [:]
        var nextNumber = 1
    }

    package let options: ArtifactOptions
    package let directory: ArtifactDirectory
    let workers: ArtifactWorkers
    private let desk = Mutex(Desk())
    private let spaceTaken = Atomic<Int>(0)
    private let collector = Mutex<(@Sendable ([String]) -> Void)?>(nil)
    private let leftovers: [String]

    package init(path: String, options: ArtifactOptions) throws(JobStoreError) {
        self.options = options
        directory = try ArtifactDirectory(path)
        workers = try ArtifactWorkers(count: 2)
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
        workers.add { [leftovers, directory] in
            for path in leftovers { ArtifactDirectory.remove(path) }
            for folder in directory.names(in: "") where folder.utf8.count == 2 {
                let digests = directory.names(in: folder).map { folder + $0 }.filter {
                    ArtifactReference.isDigest($0)
                }
                if !digests.isEmpty { collect(digests) }
            }
        }
    }

    // MARK: The port

    package var inlineBytesMax: Int { options.inlineBytesMax }

    package func draft(for owner: String) -> any ArtifactDraft {
        ArtifactFileDraft(files: self, owner: owner)
    }

    /// A draft whose content is a file even when it is short enough for a row.
    func fileDraft(for owner: String) throws(ArtifactFailure) -> any ArtifactDraft {
        try ArtifactFileDraft(fileOf: self, owner: owner)
    }

    package func partial(_ key: ArtifactKey, keeping bytes: Int) async throws(ArtifactFailure)
        -> any ArtifactDraft
    {
        let path = directory.partial(key)
        desk.withLock { _ = $0.partials[key.owner, default: []].insert(path) }
        let made = await workers.result { [self] in
            Result { () throws(ArtifactFailure) in
                try ArtifactFileDraft(files: self, owner: key.owner, partial: path, keeping: bytes)
            }
        }
        return try made.get()
    }

    package func newPartial(_ key: ArtifactKey) throws(ArtifactFailure) -> any ArtifactDraft {
        let path = directory.partial(key)
        desk.withLock { _ = $0.partials[key.owner, default: []].insert(path) }
        return try ArtifactFileDraft(files: self, owner: key.owner, partial: path, keeping: 0)
    }

    package func removePartial(_ key: ArtifactKey) {
        let path = directory.partial(key)
        forgetPartial(path, of: key.owner)
        workers.add { ArtifactDirectory.remove(path) }
    }

    package func open(_ artifact: ArtifactReference) throws(ArtifactFailure) -> any ArtifactReader {
        guard ArtifactReference.isDigest(artifact.sha256) else {
            throw ArtifactFailure(.missing, "The name of the stored content is malformed.")
        }
        return try ArtifactFileReader(bytes: artifact.bytes, at: directory.place(of: artifact.sha256))
    }

    package func release(owner: String) {
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

    // MARK: For drafts

    /// A number that no other draft has.
    package func nextNumber() -> Int {
        desk.withLock { desk in
            desk.nextNumber += 1
            return desk.nextNumber
        }
    }

    /// Moves a durable draft to its name and pins it. It replaces content that exists already, which repairs bytes
    /// damaged on the disk. On a worker.
    package func keep(_ draft: String, as artifact: ArtifactReference, for owner: String)
        throws(ArtifactFailure)
    {
        let folder = directory.folder(of: artifact.sha256)
        if try ArtifactDirectory.make(folder: folder) { try ArtifactDirectory.sync(folder: directory.path) }
        let place = directory.place(of: artifact.sha256)
        let moved = desk.withLock { desk -> Result<Void, ArtifactFailure> in
            do throws(ArtifactFailure) { try ArtifactDirectory.move(draft, to: place) } catch {
                return .failure(error)
            }
            desk.pins[artifact.sha256, default: []].insert(owner)
            desk.pinned[owner, default: []].insert(artifact.sha256)
            desk.partials[owner]?.remove(draft)
            if desk.partials[owner]?.isEmpty == true { desk.partials[owner] = nil }
            return .success(())
        }
        try moved.get()
        try ArtifactDirectory.sync(folder: folder)
    }

    /// Stops keeping unfinished content.
    package func forgetPartial(_ path: String, of owner: String) {
        desk.withLock { desk in
            desk.partials[owner]?.remove(path)
            if desk.partials[owner]?.isEmpty == true { desk.partials[owner] = nil }
        }
    }

    /// Reserves space for more bytes.
    package func take(space bytes: Int) throws(ArtifactFailure) {
        guard let most = options.spaceBytesMax else { return }
        guard spaceTaken.add(bytes, ordering: .relaxed).newValue <= most else {
            spaceTaken.subtract(bytes, ordering: .relaxed)
            throw ArtifactFailure(
                .full, "Files take \(most) bytes already, which is all they may. Erase jobs, then try again.")
        }
    }

    /// Releases reserved space.
    package func giveBack(space bytes: Int) {
        if options.spaceBytesMax != nil { spaceTaken.subtract(bytes, ordering: .relaxed) }
    }

    // MARK: For the writer

    /// Removes content that no row names, unless a run has just finished it. On the writer thread.
    package func retire(_ digests: [String]) {
        var gone: [String] = []
        desk.withLock { desk in
            for digest in digests where desk.pins[digest] == nil {
                desk.nextNumber += 1
                let trash = directory.trash(desk.nextNumber)
                if (try? ArtifactDirectory.move(directory.place(of: digest), to: trash)) != nil {
                    gone.append(trash)
                }
            }
        }
        removeLater(gone)
    }

    /// Removes all unfinished content of an owner.
    package func removePartials(of owner: String) {
        let gone = desk.withLock { desk -> Set<String> in
            desk.partials.isEmpty ? [] : desk.partials.removeValue(forKey: owner) ?? []
        }
        removeLater(Array(gone))
    }

    /// The owners of unfinished content.
    package var ownersOfPartials: [String] { desk.withLock { Array($0.partials.keys) } }

    private func removeLater(_ paths: [String]) {
        guard !paths.isEmpty else { return }
        workers.add { [self] in
            for path in paths {
                let bytes = ArtifactDirectory.byteCount(path) ?? 0
                ArtifactDirectory.remove(path)
                giveBack(space: bytes)
            }
        }
    }
}
