import JobKit
import JobStore
import Synchronization

/// Content being written: in memory, and beyond some size in a file.
final class ArtifactFileDraft: ArtifactDraft {
    private struct Body {
        var memory: [UInt8] = []
        var file: GrowingFile?
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
    init(fileOf files: ArtifactFiles, owner: String) {
        self.files = files
        self.owner = owner
        isKept = false
        body = Mutex(Body(file: files.newFile()))
    }

    /// Creates a draft in a file that is kept.
    init(files: ArtifactFiles, owner: String, partial file: GrowingFile) {
        self.files = files
        self.owner = owner
        isKept = true
        body = Mutex(Body(file: file))
    }

    deinit {
        guard isKept else { return discard() }
        guard let file = takeBody().file else { return }
        file.giveUp()
        files.rest(file.path)
    }

    var byteCount: Int { body.withLock { $0.file?.count ?? $0.memory.count } }

    func append(_ bytes: Span<UInt8>) throws(ArtifactFailure) {
        let failure = body.withLock { body -> ArtifactFailure? in
            do throws(ArtifactFailure) {
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
        if let file = body.file { return try file.append(bytes) }
        if body.memory.count + bytes.count <= files.inlineBytesMax {
            unsafe bytes.withUnsafeBufferPointer { unsafe body.memory.append(contentsOf: $0) }
            return
        }
        let file = files.newFile()
        body.file = file
        try file.append(body.memory.span)
        body.memory = []
        try file.append(bytes)
    }

    func reader() throws(ArtifactFailure) -> any ArtifactReader {
        guard let file = body.withLock({ $0.file }) else {
            throw ArtifactFailure(.unavailable, "The content is in no file.")
        }
        return file.reader()
    }

    func sync(_ then: @escaping @Sendable (Result<Int, ArtifactFailure>) -> Void) {
        body.withLock { $0.file }?.sync(then)
    }

    func sync() async throws(ArtifactFailure) {
        guard let file = body.withLock({ $0.file }) else { return }
        _ = try await file.result { () throws(ArtifactFailure) in try file.synced() }
    }

    func finish() async throws(ArtifactFailure) -> ArtifactContent { try await finish(keepingDraft: false) }

    func finishAndKeep() async throws(ArtifactFailure) -> ArtifactContent {
        try await finish(keepingDraft: isKept)
    }

    private func finish(keepingDraft keepsDraft: Bool) async throws(ArtifactFailure) -> ArtifactContent {
        let body = takeBody()
        guard let file = body.file else { return .inline(body.memory) }
        let ending = DraftEnding()
        let kept = await withTaskCancellationHandler {
            await ending.outcome { [self] in
                files.workers.add(on: file.path) { [self] in
                    let outcome = Result { () throws(ArtifactFailure) in
                        try keep(file, ending, keepsDraft: keepsDraft)
                    }
                    ending.end(outcome)
                }
            }
        } onCancel: {
            // What is kept goes on to the disk meanwhile.
            if ending.stop(), !isKept { file.giveUp() }
        }
        return .artifact(try kept.get())
    }

    /// Makes the file an artifact. On a worker.
    private func keep(
        _ file: GrowingFile, _ ending: DraftEnding, keepsDraft: Bool
    ) throws(ArtifactFailure) -> ArtifactReference {
        do throws(ArtifactFailure) {
            let artifact = try file.finished(goesOn: { !ending.isStopped })
            try ending.beginNaming()
            try files.keep(file.path, as: artifact, for: owner, keepsDraft: keepsDraft)
            return artifact
        } catch {
            // A stopped operation may go on later.
            if isKept, ending.isStopped {
                files.rest(file.path)
            } else {
                ArtifactDirectory.remove(file.path)
                files.forgetPartial(file.path, of: owner)
            }
            throw error
        }
    }

    func discard() {
        guard let file = takeBody().file else { return }
        if file.giveUp() || isKept { files.remove(file.path, of: owner) }
    }

    func close() async -> Int {
        guard isKept else {
            discard()
            return 0
        }
        guard let file = takeBody().file else { return 0 }
        defer { files.rest(file.path) }
        return await files.workers.result(on: file.path) { file.close() }
    }

    /// Takes the content, once: the draft is finished.
    private func takeBody() -> Body {
        body.withLock { body in
            defer { body = Body(isOver: true) }
            return body
        }
    }
}

/// The end of a draft. Its task waits for it, unless it is cancelled before the content gets its name.
private final class DraftEnding: Sendable {
    typealias Outcome = Result<ArtifactReference, ArtifactFailure>

    private struct State {
        var isStopped = false
        var isNaming = false
        var waiter: CheckedContinuation<Outcome, Never>?
    }

    private let state = Mutex(State())
    private static let stopped = ArtifactFailure(
        .unavailable, "The content was given up before it was whole.")

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Begins the work, and waits for its outcome.
    func outcome(of begin: () -> Void) async -> Outcome {
        let outcome = await withCheckedContinuation { waiter in
            let isStopped = state.withLock { state in
                if !state.isStopped { state.waiter = waiter }
                return state.isStopped
            }
            begin()
            if isStopped { waiter.resume(returning: .failure(Self.stopped)) }
        }
        // See `ArtifactWorkers.result`.
        state.withLock { _ in }
        return outcome
    }

    /// The task was cancelled.
    /// - Returns: whether the content gets no name.
    func stop() -> Bool {
        let (stops, waiter) = state.withLock { state in
            if state.isNaming { return (false, nil as CheckedContinuation<Outcome, Never>?) }
            state.isStopped = true
            return (true, state.waiter.take())
        }
        waiter?.resume(returning: .failure(Self.stopped))
        return stops
    }

    /// The content is about to get its name.
    func beginNaming() throws(ArtifactFailure) {
        let isStopped = state.withLock { state in
            state.isNaming = !state.isStopped
            return state.isStopped
        }
        if isStopped { throw Self.stopped }
    }

    /// The work has ended.
    func end(_ outcome: Outcome) {
        state.withLock { $0.waiter.take() }?.resume(returning: outcome)
    }
}
