package import HTTPMessage

/// A store of content that is too large for memory. JobKit itself never accesses a disk.
///
/// Content is first a *draft*. A finished draft is an *artifact*: it is durable, named by the SHA-256 of its content,
/// and unique. The store decides about its lifetime: an artifact lives as long as a job has it as a result. A finished
/// one that is not yet part of a stored result is kept for its `owner` until `release`.
package protocol ArtifactPlace: Sendable {
    /// Content up to this size stays in memory and becomes no artifact.
    var inlineBytesMax: Int { get }

    /// Whether content may be elsewhere, and has to be fetched before it is read on this machine. Default false.
    var keepsElsewhere: Bool { get }

    /// Backpressure while the disk cannot keep up with what was written. Default none.
    var backpressure: (any Backpressure)? { get }

    /// The content that is arriving and can be read meanwhile; nil where none can. Default nil.
    var live: LiveBoard? { get }

    /// Creates a draft, which is in memory until it is larger than `inlineBytesMax`. Does not block.
    /// - Parameter owner: the job's id.
    func draft(for owner: String) -> any ArtifactDraft

    /// Creates a draft that becomes an artifact however short it is. Must not block.
    /// - Parameter owner: whom its content is kept for until `release`.
    func fileDraft(for owner: String) throws(ArtifactFailure) -> any ArtifactDraft

    /// Resumes the content that was kept under a key. Its `finish` reads it again for its digest, on a thread of the
    /// place, and keeps it when the task is cancelled meanwhile.
    /// - Parameter bytes: the number of bytes that count; the rest is truncated. When there are fewer, all are dropped
    ///   and the draft is empty.
    func partial(_ key: ArtifactKey, keeping bytes: Int) async throws(ArtifactFailure) -> any ArtifactDraft

    /// Some bytes of the content that was kept under a key; nil when it has not so many. Default nil.
    func partialBytes(_ range: Range<Int>, of key: ArtifactKey) async -> [UInt8]?

    /// Creates content under a key, replacing existing content. Always in a file. Must not block.
    /// A file that cannot be made is a failure of the draft.
    func newPartial(_ key: ArtifactKey) throws(ArtifactFailure) -> any ArtifactDraft

    /// Checks that content of this length fits, before any of it is fetched. Quick. Default: it does.
    /// - Throws: `.full` when it does not; some space may be freed then for a later try.
    func checkRoom(for bytes: Int) throws(ArtifactFailure)

    /// Removes the content that was kept under a key; nothing happens when there is none. Does not block.
    func removePartial(_ key: ArtifactKey)

    /// Opens an artifact for reading in pieces. Quick.
    /// - Throws: `.missing` when it no longer exists, if that can be told at once.
    func open(_ artifact: ArtifactReference) throws(ArtifactFailure) -> any ArtifactReader

    /// Brings artifacts to the disk of this machine, where they stay until the owner's `release`. Nothing to do where
    /// content is always there.
    func fetch(_ artifacts: [ArtifactReference], for owner: String) async throws(ArtifactFailure)

    /// The owner has stored its results and needs nothing else that it finished: unused artifacts are removed.
    /// Does not block.
    func release(owner: String)
}

/// Under which name unfinished content outlives its attempt and the process.
package struct ArtifactKey: Sendable, Hashable {
    /// The owner: the job's id.
    package var owner: String
    /// Unique for the owner: the path of the operation, and the number of its beginning.
    package var name: String

    package init(owner: String, name: String) {
        self.owner = owner
        self.name = name
    }
}

/// Content that is to become an artifact. Never used concurrently.
package protocol ArtifactDraft: AnyObject, Sendable {
    /// The bytes that were taken, those of an earlier attempt included.
    var byteCount: Int { get }

    /// Appends content. Must not block: content for a file is written on a thread of the place.
    /// - Throws: `.full` when there was no space for earlier content. The draft can only be discarded or closed then.
    func append(_ bytes: Span<UInt8>) throws(ArtifactFailure)

    /// A reader of a draft in a file, which reads all that was appended, also after the end of the draft.
    func reader() throws(ArtifactFailure) -> any ArtifactReader

    /// Makes the content so far durable, on a thread of the place, and passes its length. Does not block; during one
    /// call, others do nothing.
    func sync(_ then: @escaping @Sendable (Result<Int, ArtifactFailure>) -> Void)

    /// Makes the content so far durable, where it is in a file. Returns when it is.
    /// - Throws: `.unavailable` when it is not. The draft can only be discarded or closed then.
    func sync() async throws(ArtifactFailure)

    /// Finishes the draft. Returns when an artifact is on the disk under its name; immediately when it stays in memory.
    /// - Throws: also when the task is cancelled before; the content is removed then, or kept for `partial`.
    func finish() async throws(ArtifactFailure) -> ArtifactContent

    /// Finishes the draft and keeps its content under its key, too, as long as the job has not ended: when the process
    /// ends before the result is stored, another run can finish it again. Default `finish`.
    func finishAndKeep() async throws(ArtifactFailure) -> ArtifactContent

    /// Removes the draft. No effect after `finish` or `close`.
    func discard()

    /// Ends the draft and keeps its content for `ArtifactPlace.partial`, made durable; a draft without a key is
    /// discarded.
    /// - Returns: the number of bytes kept; 0 when durability is uncertain.
    func close() async -> Int
}

/// The content of a finished draft.
package enum ArtifactContent: Sendable {
    /// Small content, in memory.
    case inline([UInt8])
    /// Large content, an artifact.
    case artifact(ArtifactReference)
}

/// An open artifact.
package protocol ArtifactReader: AnyObject, Sendable {
    /// The length in bytes.
    var byteCount: Int { get }

    /// A good size for one read, in bytes.
    var pieceBytes: Int { get }

    /// Reads the content from `offset` (0…`byteCount`) on into `bytes`, from the disk of this machine.
    /// - Returns: how many bytes were read; at least 1 while `offset` is below `byteCount` and there is room.
    /// - Throws: `.missing` when the file is shorter than it should be, `.unavailable`, also for content that is
    ///   elsewhere and was not fetched.
    func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(ArtifactFailure) -> Int

    /// Reads the bytes of a range within the content, wherever it is.
    /// - Throws: `.missing` when the content no longer exists or is damaged, `.unavailable`.
    func bytes(_ range: Range<Int>) async throws(ArtifactFailure) -> [UInt8]
}

extension ArtifactPlace {
    /// Does nothing.
    package func checkRoom(for bytes: Int) throws(ArtifactFailure) {}

    package var live: LiveBoard? { nil }

    package func partialBytes(_ range: Range<Int>, of key: ArtifactKey) async -> [UInt8]? { nil }

    package var keepsElsewhere: Bool { false }

    package var backpressure: (any Backpressure)? { nil }

    /// Waits while the disk cannot keep up with what was written.
    package func waitForDisk() async {
        guard let backpressure, backpressure.isOn else { return }
        await withCheckedContinuation { over in backpressure.whenOff { over.resume() } }
    }

    /// Does nothing, since content is always on this machine.
    package func fetch(_ artifacts: [ArtifactReference], for owner: String) async throws(ArtifactFailure) {}

    /// The whole content of an artifact of at most `bytesMax`, from the disk of this machine.
    /// - Throws: `.tooLarge` for a larger one.
    package func bytes(
        of artifact: ArtifactReference, bytesMax: Int
    ) throws(ArtifactFailure) -> [UInt8] {
        guard artifact.bytes <= bytesMax else {
            throw ArtifactFailure(
                .tooLarge,
                "The content has \(artifact.bytes) bytes; at most \(bytesMax) are read into memory.")
        }
        let reader = try open(artifact)
        return try reader.localBytes(0..<reader.byteCount)
    }
}

extension ArtifactDraft {
    /// Throws, for drafts that cannot be read before their end.
    package func reader() throws(ArtifactFailure) -> any ArtifactReader {
        throw ArtifactFailure(.unavailable, "The content cannot be read before its end.")
    }

    /// As `finish`.
    package func finishAndKeep() async throws(ArtifactFailure) -> ArtifactContent { try await finish() }

    /// Finishes a draft that is in a file.
    /// - Parameter isKept: whether its content is kept under its key, too.
    package func finishFile(isKept: Bool = false) async throws(ArtifactFailure) -> ArtifactReference {
        if case .artifact(let artifact) = try await isKept ? finishAndKeep() : finish() { return artifact }
        throw ArtifactFailure(.unavailable, "The content was not kept in a file.")
    }
}

extension ArtifactReader {
    /// The bytes of a range within the content, from the disk of this machine.
    package func localBytes(_ range: Range<Int>) throws(ArtifactFailure) -> [UInt8] {
        var content = [UInt8](repeating: 0, count: range.count)
        var filled = 0
        var space = content.mutableSpan
        while filled < range.count {
            var rest = space._mutatingExtracting(filled..<range.count)
            let count = try read(at: range.lowerBound + filled, into: &rest)
            guard count > 0 else { throw ArtifactFailure(.missing, "The content ends too early.") }
            filled += count
        }
        return content
    }
}
