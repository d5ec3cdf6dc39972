package import HTTPMessage
package import JobKit
package import JobStore

// DESIGN
// Content is written to files on this machine first, where it is hashed and can be resumed, and goes to the shared
// place when it is finished, before a row names it. The local file stays until the job's run ends. Unused content is
// removed by a sweep, since no server knows what others are about to name: a row in the ledger is held before each
// upload, and content is condemned there before it is removed.

/// Content in a place that several servers share.
package final class SharedArtifacts: ArtifactPlace {
    /// After this time the removal of content that another server began is repeated. Longer than the 15 minutes for
    /// which a signed request to S3 is valid.
    static let patience = Duration.seconds(1_200)
    private static let sweepBite = 100
    /// The part of `patience` in which a sweep begins removals: each has ended before another server stores the same
    /// content again.
    private static let sweepShare = 5

    private let files: ArtifactFiles
    private let grace: Duration
    private let backend: any ContentBackend
    private let ledger: any ContentLedger
    private let makeDigest: @Sendable () -> any RunningDigest

    /// - Parameter ledger: the record of what is in the shared place.
    package init(
        _ options: SharedArtifactOptions, ledger: any ContentLedger
    ) throws(JobStoreError) {
        files = try ArtifactFiles(path: options.path, options: options.files)
        backend = options.backend
        grace = options.grace
        self.ledger = ledger
        makeDigest = options.files.makeDigest
        files.begin { [weak files] in files?.retire($0) }
    }

    package var keepsElsewhere: Bool { true }

    package var live: LiveBoard? { files.live }

    package var inlineBytesMax: Int { files.inlineBytesMax }

    package var backpressure: (any Backpressure)? { files.backpressure }

    package func draft(for owner: String) -> any ArtifactDraft { shared(files.draft(for: owner)) }

    package func fileDraft(for owner: String) throws(ArtifactFailure) -> any ArtifactDraft {
        shared(try files.fileDraft(for: owner))
    }

    package func partial(
        _ key: ArtifactKey, keeping bytes: Int
    ) async throws(ArtifactFailure) -> any ArtifactDraft {
        shared(try await files.partial(key, keeping: bytes))
    }

    package func partialBytes(_ range: Range<Int>, of key: ArtifactKey) async -> [UInt8]? {
        await files.partialBytes(range, of: key)
    }

    package func newPartial(_ key: ArtifactKey) throws(ArtifactFailure) -> any ArtifactDraft {
        shared(try files.newPartial(key))
    }

    package func checkRoom(for bytes: Int) throws(ArtifactFailure) { try files.checkRoom(for: bytes) }

    package func removePartial(_ key: ArtifactKey) { files.removePartial(key) }

    package func open(_ artifact: ArtifactReference) throws(ArtifactFailure) -> any ArtifactReader {
        guard ArtifactReference.isDigest(artifact.sha256) else {
            throw ArtifactFailure(.missing, "The name of the stored content is malformed.")
        }
        if let local = try? files.open(artifact) { return local }
        return SharedArtifactReader(artifact, in: backend, digest: makeDigest())
    }

    package func fetch(
        _ artifacts: [ArtifactReference], for owner: String
    ) async throws(ArtifactFailure) {
        for artifact in artifacts {
            if await files.workers.result(of: { [files] in files.pin(artifact, for: owner) }) { continue }
            try files.checkRoom(for: artifact.bytes)
            let draft = try files.fileDraft(for: owner)
            let reader = SharedArtifactReader(artifact, in: backend, digest: makeDigest())
            var place = 0
            while place < artifact.bytes {
                let end = min(artifact.bytes, place + reader.pieceBytes)
                let piece = try await reader.bytes(place..<end)
                await files.waitForDisk()
                try draft.append(piece.span)
                place = end
            }
            guard case .artifact(artifact) = try await draft.finish() else {
                throw ArtifactFailure(.unavailable, "The stored content changed while it was fetched.")
            }
        }
    }

    package func release(owner: String) { files.release(owner: owner) }

    /// The space on this machine.
    package var space: StoreSpace? { files.space }

    /// Removes some content that no job uses, and the unfinished content on this machine that no job resumes.
    /// - Returns: the number of removed artifacts.
    package func sweep() async throws(JobStoreError) -> Int {
        let owners = files.ownersOfPartials
        if !owners.isEmpty {
            for owner in try await ledger.finished(owners) { files.removePartials(of: owner) }
        }
        // A clock that counts also while the machine is suspended.
        let end = ContinuousClock.now + Self.patience / Self.sweepShare
        let condemned = try await ledger.condemn(
            unusedFor: grace, patience: Self.patience, limit: Self.sweepBite)
        var removed: [String] = []
        // The removal of the rest is repeated later.
        for digest in condemned where ContinuousClock.now < end {
            if (try? await backend.remove(digest)) != nil { removed.append(digest) }
        }
        if !removed.isEmpty { try await ledger.forget(removed) }
        return removed.count
    }

    private func shared(_ draft: any ArtifactDraft) -> any ArtifactDraft {
        SharedArtifactDraft(draft, in: self)
    }

    private func hold(_ sha256: String) async throws(ArtifactFailure) -> Bool {
        do throws(JobStoreError) { return try await ledger.hold(sha256) } catch {
            throw ArtifactFailure(.unavailable, error.detail)
        }
    }

    /// Brings a finished file to the shared place.
    fileprivate func upload(_ artifact: ArtifactReference) async throws(ArtifactFailure) {
        while try await !hold(artifact.sha256) {
            // The content is being removed. That takes moments, or `patience` when its remover has died.
            do { try await Task.sleep(for: .milliseconds(500)) } catch {
                throw ArtifactFailure(.unavailable, "The upload was cancelled.")
            }
        }
        try await backend.put(artifact, from: files.directory.place(of: artifact.sha256))
    }
}

/// A draft on this machine, whose content is uploaded when it is finished.
private final class SharedArtifactDraft: ArtifactDraft {
    private let draft: any ArtifactDraft
    private let place: SharedArtifacts

    init(_ draft: any ArtifactDraft, in place: SharedArtifacts) {
        self.draft = draft
        self.place = place
    }

    var byteCount: Int { draft.byteCount }

    func append(_ bytes: Span<UInt8>) throws(ArtifactFailure) { try draft.append(bytes) }

    func reader() throws(ArtifactFailure) -> any ArtifactReader { try draft.reader() }

    func sync(_ then: @escaping @Sendable (Result<Int, ArtifactFailure>) -> Void) { draft.sync(then) }

    func sync() async throws(ArtifactFailure) { try await draft.sync() }

    func finish() async throws(ArtifactFailure) -> ArtifactContent { try await uploaded(draft.finish()) }

    func finishAndKeep() async throws(ArtifactFailure) -> ArtifactContent {
        try await uploaded(draft.finishAndKeep())
    }

    private func uploaded(_ content: ArtifactContent) async throws(ArtifactFailure) -> ArtifactContent {
        if case .artifact(let artifact) = content { try await place.upload(artifact) }
        return content
    }

    func discard() { draft.discard() }

    func close() async -> Int { await draft.close() }
}
