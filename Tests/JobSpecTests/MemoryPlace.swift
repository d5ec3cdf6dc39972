import HTTPMessage
import StrictJSON
import Synchronization
import TestOperations

@testable import JobKit

/// Content in memory, as a disk has it: what is unfinished stays when its draft is gone.
final class MemoryPlace: ArtifactPlace {
    private struct Content {
        var unfinished: [String: [UInt8]] = [:]
        var finished: [[UInt8]] = []
        var appends = 0
    }

    private let content: Mutex<Content>
    /// The numbers of the appends, from 1, that are torn: half of it is written, and an error thrown.
    let refusals = Mutex<Set<Int>>([])
    let inlineBytesMax = 0

    /// - Parameters:
    ///   - unfinished: the content of the file of a root operation that an earlier run left.
    ///   - start: how often that file was begun.
    ///   - finished: the artifacts of an earlier run.
    init(unfinished text: String? = nil, start: Int = 1, finished: [[UInt8]] = []) {
        var content = Content(finished: finished)
        if let text { content.unfinished["#\(start)"] = Array(text.utf8) }
        self.content = Mutex(content)
    }

    var unfinished: [String: [UInt8]] { content.withLock { $0.unfinished } }
    var finished: [[UInt8]] { content.withLock { $0.finished } }

    func draft(for owner: String) -> any ArtifactDraft { Draft(self, "draft") }
    func fileDraft(for owner: String) -> any ArtifactDraft { Draft(self, "file") }
    func removePartial(_ key: ArtifactKey) { content.withLock { $0.unfinished[key.name] = nil } }
    func release(owner: String) {}

    func partialBytes(_ range: Range<Int>, of key: ArtifactKey) async -> [UInt8]? {
        let known = unfinished[key.name] ?? []
        return range.upperBound <= known.count ? Array(known[range]) : nil
    }

    func newPartial(_ key: ArtifactKey) throws(ArtifactFailure) -> any ArtifactDraft {
        content.withLock { $0.unfinished[key.name] = [] }
        return Draft(self, key.name)
    }

    func partial(_ key: ArtifactKey, keeping bytes: Int) async throws(ArtifactFailure) -> any ArtifactDraft {
        content.withLock { content in
            let known = content.unfinished[key.name] ?? []
            content.unfinished[key.name] = bytes <= known.count ? Array(known.prefix(bytes)) : []
        }
        return Draft(self, key.name)
    }

    func open(_ artifact: ArtifactReference) throws(ArtifactFailure) -> any ArtifactReader {
        guard let number = Int(artifact.sha256, radix: 16), finished.indices.contains(number) else {
            throw ArtifactFailure(.missing, "There is no such content.")
        }
        return Reader(finished[number])
    }

    private final class Reader: ArtifactReader {
        private let content: [UInt8]
        let pieceBytes = 7

        init(_ content: [UInt8]) { self.content = content }

        var byteCount: Int { content.count }

        func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(ArtifactFailure) -> Int {
            throw ArtifactFailure(.unavailable, "The content is elsewhere.")
        }

        func bytes(_ range: Range<Int>) async throws(ArtifactFailure) -> [UInt8] { Array(content[range]) }
    }

    private final class Draft: ArtifactDraft {
        private let place: MemoryPlace
        private let name: String

        init(_ place: MemoryPlace, _ name: String) { (self.place, self.name) = (place, name) }

        var byteCount: Int { place.unfinished[name]?.count ?? 0 }

        func append(_ bytes: Span<UInt8>) throws(ArtifactFailure) {
            let number = place.content.withLock { content in
                content.appends += 1
                return content.appends
            }
            let isRefused = place.refusals.withLock { $0.contains(number) }
            let added = bytes.indices.prefix(isRefused ? bytes.count / 2 : bytes.count).map { bytes[$0] }
            place.content.withLock { $0.unfinished[name, default: []] += added }
            if isRefused { throw ArtifactFailure(.full, "No space is left.") }
        }

        func sync(_ then: @escaping @Sendable (Result<Int, ArtifactFailure>) -> Void) {
            then(.success(byteCount))
        }

        func sync() async throws(ArtifactFailure) {}

        func finish() async throws(ArtifactFailure) -> ArtifactContent {
            let (number, bytes) = place.content.withLock { content in
                let bytes = content.unfinished.removeValue(forKey: name) ?? []
                content.finished.append(bytes)
                return (content.finished.count - 1, bytes)
            }
            let digits = String(number, radix: 16)
            let digest = String(repeating: "0", count: 64 - digits.utf8.count) + digits
            return .artifact(ArtifactReference(sha256: digest, bytes: bytes.count))
        }

        func discard() { place.content.withLock { $0.unfinished[name] = nil } }
        func close() async -> Int { byteCount }
    }
}

/// A journal that holds the entries of earlier runs, and records those of this one.
final class RunNotebook: OperationJournal {
    let fold: JournalFold
    let written = Record<JournalEntry>()

    init(_ past: [JournalEntry] = []) {
        var fold = JournalFold(past)
        fold.forgetParts()
        self.fold = fold
    }

    func record(_ entry: JournalEntry) { written.append(entry) }
    func flush() async throws(RunSuspended) {}
    func history(of path: [String]) -> OperationHistory? { fold.histories[path] }
    func note(taken: Set<ByteKey>, freed: Set<ByteKey>, by path: [String]) {}
}

extension JournalEntry {
    /// Whether it is the end of its operation.
    var isEnd: Bool { if case .finished = event { true } else { false } }
}
