import JobKit
import Synchronization

// DESIGN
// write(2) takes as long as the disk likes, up to seconds while the system writes much, and content comes on loops that
// have no time. So what is appended stays in memory until the threads for files have written and hashed it, piece by
// piece and in order. What waits for them is counted in `WriteBack`, which makes the senders wait. A failure ends the
// next append, or the end of the file.

/// A file to which content is appended without waiting for the disk, and which can be read meanwhile.
final class GrowingFile: Sendable {
    private struct State {
        /// The file; nil until it is needed.
        var file: ArtifactFile?
        /// The length of the content in the file, and of what of it was given to the disk.
        var written = 0
        var writtenBack = 0
        /// The piece that is being written, and those after it.
        var writing: [UInt8] = []
        var waiting: [[UInt8]] = []
        /// The last piece, which grows.
        var last: [UInt8] = []
        /// Whether a thread is to write the pieces that wait.
        var isDue = false
        var isRead = false
        var isSyncing = false
        var failure: ArtifactFailure?

        var waitingBytes: Int { waiting.reduce(0) { $0 + $1.count } }
        var count: Int { written + writing.count + waitingBytes + last.count }

        /// The last piece, however short, is to be written.
        mutating func seal(_ load: WriteBack) {
            guard !last.isEmpty, failure == nil else { return }
            load.begin(last.count)
            waiting.append(last)
            last = []
        }

        /// Forgets what is not written, unless it is read.
        /// - Returns: the number of bytes that waited.
        mutating func giveUp() -> Int {
            let bytes = waitingBytes
            if isRead { last = waiting.joined() + last } else { last = [] }
            waiting = []
            return bytes
        }
    }

    /// The size of a piece.
    private static let pieceBytes = 256 << 10

    let path: String
    private let files: ArtifactFiles
    /// The digest of what was written; nil for resumed content.
    private let digest: (any RunningDigest)?
    private let state: Mutex<State>

    /// A new file, which replaces one with this path.
    init(_ path: String, of files: ArtifactFiles) {
        self.path = path
        self.files = files
        digest = files.options.makeDigest()
        state = Mutex(State())
    }

    /// Opens the file at `path` to resume it after its first `bytes`. In turn.
    init(resuming path: String, after bytes: Int, of files: ArtifactFiles) throws(ArtifactFailure) {
        self.path = path
        self.files = files
        let (file, kept) = try Self.open(path, keeping: bytes)
        digest = kept == 0 ? files.options.makeDigest() : nil
        state = Mutex(State(file: file, written: kept, writtenBack: kept))
    }

    private static func open(
        _ path: String, keeping bytes: Int
    ) throws(ArtifactFailure) -> (ArtifactFile, kept: Int) {
        // Finished content that was kept as a draft, too, is never changed.
        if ArtifactDirectory.hasOtherNames(path), ArtifactDirectory.byteCount(path) != bytes {
            ArtifactDirectory.remove(path)
        }
        let file = try ArtifactFile.writing(path)
        let length = file.byteCount
        let kept = bytes > 0 && bytes <= length ? bytes : 0
        if length != kept { try file.cut(to: kept) }
        return (file, kept)
    }

    /// The length of what was appended.
    var count: Int { state.withLock { $0.count } }

    // MARK: From any thread

    /// Appends content.
    /// - Throws: the failure of a write before.
    func append(_ bytes: Span<UInt8>) throws(ArtifactFailure) {
        let (failure, begins) = state.withLock { state -> (ArtifactFailure?, Bool) in
            if let failure = state.failure { return (failure, false) }
            unsafe bytes.withUnsafeBufferPointer { unsafe state.last.append(contentsOf: $0) }
            guard state.last.count >= Self.pieceBytes else { return (nil, false) }
            state.seal(files.writeBack)
            // More of it will come.
            state.last.reserveCapacity(Self.pieceBytes + min(bytes.count, Self.pieceBytes))
            defer { state.isDue = true }
            return (nil, !state.isDue)
        }
        if let failure { throw failure }
        if begins { files.workers.add(on: path) { [self] in writeInTurn() } }
    }

    /// Ends the file without what was not written.
    /// - Returns: whether there is a file, or will be one in turn.
    @discardableResult func giveUp() -> Bool {
        let (bytes, isFile) = state.withLock { state in
            (state.giveUp(), state.file != nil || state.isDue || state.isSyncing)
        }
        files.writeBack.end(bytes)
        return isFile
    }

    /// A reader of all that was appended.
    func reader() -> any ArtifactReader {
        state.withLock { $0.isRead = true }
        return self
    }

    /// Makes the content so far durable, and passes its length. During one call, others do nothing.
    func sync(_ then: @escaping @Sendable (Result<Int, ArtifactFailure>) -> Void) {
        let begins = state.withLock { state in
            defer { state.isSyncing = true }
            return !state.isSyncing
        }
        guard begins else { return }
        files.workers.add(on: path) { [self] in
            then(Result { () throws(ArtifactFailure) in try synced() })
            state.withLock { $0.isSyncing = false }
        }
    }

    /// The result of work on the file, in turn.
    func result<Value: Sendable>(
        of work: @escaping @Sendable () throws(ArtifactFailure) -> Value
    ) async throws(ArtifactFailure) -> Value {
        try await files.workers.result(on: path) { Result { () throws(ArtifactFailure) in try work() } }.get()
    }

    // MARK: In turn, on a thread for files

    /// Writes the next piece, and lets others have a turn.
    private func writeInTurn() {
        writeNext()
        let goesOn = state.withLock { state in
            state.isDue = !state.waiting.isEmpty
            return state.isDue
        }
        if goesOn { files.workers.add(on: path) { [self] in writeInTurn() } }
    }

    /// Writes the next piece; returns false when there is none.
    @discardableResult private func writeNext() -> Bool {
        let piece = state.withLock { state -> [UInt8]? in
            guard !state.waiting.isEmpty else { return nil }
            state.writing = state.waiting.removeFirst()
            return state.writing
        }
        guard let piece else { return false }
        let written = Result { () throws(ArtifactFailure) in try write(piece) }
        let bytes = state.withLock { state in
            defer { state.writing = [] }
            guard case .failure(let failure) = written else {
                state.written += piece.count
                return piece.count
            }
            state.failure = failure
            let bytes = piece.count + state.giveUp()
            if state.isRead { state.last = piece + state.last }
            return bytes
        }
        files.writeBack.end(bytes)
        return true
    }

    private func write(_ piece: [UInt8]) throws(ArtifactFailure) {
        let file = try opened()
        try files.take(space: piece.count)
        try file.append(piece.span)
        digest?.update(piece.span)
        let part = state.withLock { state -> Range<Int> in
            let part = state.writtenBack..<state.written + piece.count
            if part.count >= WriteBack.partBytes { state.writtenBack = part.upperBound }
            return part
        }
        if part.count >= WriteBack.partBytes { file.writeBack(part) }
    }

    private func opened() throws(ArtifactFailure) -> ArtifactFile {
        if let file = state.withLock({ $0.file }) { return file }
        let (file, _) = try Self.open(path, keeping: 0)
        state.withLock { $0.file = file }
        return file
    }

    /// Writes all that was appended.
    private func writeAll() {
        state.withLock { $0.seal(files.writeBack) }
        while writeNext() {}
    }

    /// The file with all that was appended, and its length.
    private func whole() throws(ArtifactFailure) -> (ArtifactFile, Int) {
        writeAll()
        let file = try opened()
        let (written, failure) = state.withLock { ($0.written, $0.failure) }
        if let failure { throw failure }
        return (file, written)
    }

    /// Makes all that was appended durable, and returns its length.
    @discardableResult func synced() throws(ArtifactFailure) -> Int {
        let (file, count) = try whole()
        try file.sync()
        return count
    }

    /// Makes what could be written durable.
    /// - Returns: its length; 0 when durability is uncertain.
    func close() -> Int {
        writeAll()
        guard let file = try? opened(), (try? file.sync()) != nil else { return 0 }
        return state.withLock { $0.written }
    }

    /// Makes all that was appended durable, and returns its name as an artifact.
    /// - Parameter goesOn: see `ArtifactFile.add`.
    func finished(goesOn: () -> Bool) throws(ArtifactFailure) -> ArtifactReference {
        let (file, count) = try whole()
        let digest = digest ?? files.options.makeDigest()
        if self.digest == nil { try file.add(count, to: digest, goesOn: goesOn) }
        try file.sync()
        return ArtifactReference(sha256: HexText.encode(digest.finish()), bytes: count)
    }
}

extension GrowingFile: ArtifactReader {
    var byteCount: Int { .max }

    var pieceBytes: Int { Self.pieceBytes }

    func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(ArtifactFailure) -> Int {
        let (file, known) = state.withLock { [most = bytes.count] state in
            (state.file, Self.unwritten(state, at: offset, most))
        }
        var count = known?.count ?? 0
        if let known {
            for index in known.indices { bytes[index] = known[known.startIndex + index] }
        } else if let file {
            var part = bytes._mutatingExtracting(0..<bytes.count)
            count = try file.read(at: offset, into: &part)
        }
        guard count > 0 || bytes.isEmpty else {
            throw ArtifactFailure(.missing, "The stored content is not whole any more.")
        }
        return count
    }

    /// Content from an offset on that is in memory; nil when it is in the file.
    private static func unwritten(_ state: State, at offset: Int, _ most: Int) -> [UInt8]? {
        var start = offset - state.written
        guard start >= 0 else { return nil }
        for piece in [state.writing] + state.waiting + [state.last] {
            if start < piece.count { return Array(piece[start...].prefix(most)) }
            start -= piece.count
        }
        return []
    }

    func bytes(_ range: Range<Int>) throws(ArtifactFailure) -> [UInt8] { try localBytes(range) }
}
