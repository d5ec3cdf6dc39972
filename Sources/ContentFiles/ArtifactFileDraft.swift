import JobKit
import JobStore
import Synchronization

/// Content being written: in memory, and beyond some size in a file.
final class ArtifactFileDraft: ArtifactDraft {
    private struct Body {
        var memory: [UInt8] = []
        var file: ArtifactFile?
        var path: String?
        var count = 0
        /// The length of what was given to the disk.
        var writtenBack = 0
        /// The digest so far; nil in memory, and for resumed content, which `finish` reads for it once.
        var digest: (any RunningDigest)?
        var isSyncing = false
        var isOver = false
    }

    private let files: ArtifactFiles
    private let owner: String
    private let isKept: Bool
    private let body: Mutex<Body>

    /// Creates an empty draft in memory.
    init(files: ArtifactFiles, owner: String) {
        self.files = files
        self.owner = owner
        isKept = false
        body = Mutex(Body())
    }

    /// Creates an empty draft in a file, however short its content will be.
    convenience init(fileOf files: ArtifactFiles, owner: String) throws(ArtifactFailure) {
        self.init(files: files, owner: owner)
        try append([UInt8]().span, inFile: true)
    }

    /// Creates a draft that resumes the file at `path` after its first `bytes`.
    init(files: ArtifactFiles, owner: String, partial path: String, keeping bytes: Int)
        throws(ArtifactFailure)
    {
        self.files = files
        self.owner = owner
        isKept = true
        // Finished content that was kept as a draft, too, is never changed.
        if ArtifactDirectory.hasOtherNames(path), ArtifactDirectory.byteCount(path) != bytes {
            ArtifactDirectory.remove(path)
        }
        let file = try ArtifactFile.writing(path)
        let length = file.byteCount
        let kept = bytes > 0 && bytes <= length ? bytes : 0
        if length != kept { try file.cut(to: kept) }
        let digest = kept == 0 ? files.options.makeDigest() : nil
        body = Mutex(Body(file: file, path: path, count: kept, writtenBack: kept, digest: digest))
    }

    deinit {
        guard isKept else { return discard() }
        if let path = takeBody().path { files.rest(path) }
    }

    var byteCount: Int { body.withLock { $0.count } }

    func append(_ bytes: Span<UInt8>) throws(ArtifactFailure) { try append(bytes, inFile: false) }

    private func append(_ bytes: Span<UInt8>, inFile: Bool) throws(ArtifactFailure) {
        let failure = body.withLock { body -> ArtifactFailure? in
            do throws(ArtifactFailure) {
                if inFile, body.file == nil { try spill(&body) }
                try add(bytes, to: &body)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    private func add(_ bytes: Span<UInt8>, to body: inout Body) throws(ArtifactFailure) {
        guard !body.isOver else {
            throw ArtifactFailure(.unavailable, "The content was closed before it was whole.")
        }
        if body.file == nil {
            if body.memory.count + bytes.count <= files.inlineBytesMax {
                unsafe bytes.withUnsafeBufferPointer { unsafe body.memory.append(contentsOf: $0) }
                body.count += bytes.count
                return
            }
            try spill(&body)
        }
        try files.take(space: bytes.count)
        try body.file?.append(bytes)
        body.digest?.update(bytes)
        body.count += bytes.count
        if body.count - body.writtenBack >= WriteBack.pieceBytes, let file = body.file {
            files.writeBack.write(file, body.writtenBack..<body.count)
            body.writtenBack = body.count
        }
    }

    private func spill(_ body: inout Body) throws(ArtifactFailure) {
        try files.take(space: body.memory.count)
        let path = files.directory.draft(files.nextNumber())
        let file = try ArtifactFile.writing(path)
        body.file = file
        body.path = path
        let digest = files.options.makeDigest()
        body.digest = digest
        try file.append(body.memory.span)
        digest.update(body.memory.span)
        body.memory = []
    }

    func reader() throws(ArtifactFailure) -> any ArtifactReader {
        guard let path = body.withLock({ $0.path }) else {
            throw ArtifactFailure(.unavailable, "The content is in no file.")
        }
        return try ArtifactFileReader(growing: path)
    }

    func sync(_ then: @escaping @Sendable (Result<Int, ArtifactFailure>) -> Void) {
        let work = body.withLock { body -> (ArtifactFile, Int)? in
            guard let file = body.file, !body.isSyncing, !body.isOver else { return nil }
            body.isSyncing = true
            return (file, body.count)
        }
        guard let (file, count) = work else { return }
        files.workers.add { [self] in
            do throws(ArtifactFailure) {
                try file.sync()
                then(.success(count))
            } catch {
                then(.failure(error))
            }
            body.withLock { $0.isSyncing = false }
        }
    }

    func sync() async throws(ArtifactFailure) {
        guard let file = body.withLock({ $0.file }) else { return }
        try await files.workers.result { Result { () throws(ArtifactFailure) in try file.sync() } }.get()
    }

    func finish() async throws(ArtifactFailure) -> ArtifactContent { try await finish(keepingDraft: false) }

    func finishAndKeep() async throws(ArtifactFailure) -> ArtifactContent {
        try await finish(keepingDraft: isKept)
    }

    private func finish(keepingDraft keepsDraft: Bool) async throws(ArtifactFailure) -> ArtifactContent {
        let body = takeBody()
        guard let file = body.file, let path = body.path else { return .inline(body.memory) }
        let goesOn = Going()
        let kept = await withTaskCancellationHandler {
            await files.workers.result { [self] () -> Result<ArtifactReference, ArtifactFailure> in
                Result { () throws(ArtifactFailure) in
                    try keep(file, at: path, body, goesOn, keepsDraft: keepsDraft)
                }
            }
        } onCancel: {
            goesOn.stop()
        }
        return .artifact(try kept.get())
    }

    /// Makes the file an artifact. On a worker.
    private func keep(
        _ file: ArtifactFile, at path: String, _ body: Body, _ goesOn: Going, keepsDraft: Bool
    ) throws(ArtifactFailure) -> ArtifactReference {
        do throws(ArtifactFailure) {
            let digest = body.digest ?? files.options.makeDigest()
            if body.digest == nil { try file.add(body.count, to: digest, goesOn: { goesOn.isOn }) }
            let artifact = ArtifactReference(sha256: HexText.encode(digest.finish()), bytes: body.count)
            try file.sync()
            try files.keep(path, as: artifact, for: owner, keepsDraft: keepsDraft)
            return artifact
        } catch {
            // A stopped operation may go on later.
            if isKept, !goesOn.isOn {
                files.rest(path)
            } else {
                ArtifactDirectory.remove(path)
                files.forgetPartial(path, of: owner)
            }
            throw error
        }
    }

    /// Whether the task that finishes a draft has not been cancelled.
    private final class Going: Sendable {
        private let hasStopped = Atomic(false)

        var isOn: Bool { !hasStopped.load(ordering: .relaxed) }

        func stop() { hasStopped.store(true, ordering: .relaxed) }
    }

    func discard() {
        let body = takeBody()
        guard let path = body.path else { return }
        files.remove(path, of: owner)
    }

    func close() async -> Int {
        guard isKept else {
            discard()
            return 0
        }
        let body = takeBody()
        defer { if let path = body.path { files.rest(path) } }
        guard let file = body.file else { return 0 }
        let isDurable = await files.workers.result { (try? file.sync()) != nil }
        return isDurable ? body.count : 0
    }

    /// Takes the content, once: the draft is finished.
    private func takeBody() -> Body {
        body.withLock { body in
            if body.isOver { return Body(isOver: true) }
            defer { body = Body(isOver: true) }
            return body
        }
    }
}
