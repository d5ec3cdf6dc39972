import HTTPMessage
import JobKit
import Synchronization

/// A byte range of a file as a response body. Each piece is read when the previous one has been sent.
final class ArtifactBody: HTTPBodySource {
    private let reader: any ArtifactReader
    private let rest: Mutex<Range<Int>>
    private let first: Mutex<[UInt8]?>
    private let access: OpenAccess?
    private let isRefused = Atomic(false)

    /// Creates the body for `range`, which must lie within the content.
    /// - Parameters:
    ///   - first: its first bytes, if they are read already.
    ///   - access: the permission, with which the content ends unfinished; nil lasts.
    init(
        _ reader: any ArtifactReader, _ range: Range<Int>, first: [UInt8]? = nil, access: OpenAccess? = nil
    ) {
        self.reader = reader
        self.first = Mutex(first)
        self.access = access
        rest = Mutex(range.dropFirst(first?.count ?? 0))
        access?.watch { [weak self] in self?.isRefused.store(true, ordering: .relaxed) }
    }

    deinit { access?.leave() }

    /// - Throws: when the content cannot be read, or the permission has ended: the connection is closed then.
    func next() async throws -> [UInt8]? {
        if isRefused.load(ordering: .relaxed), let access { throw access.problem }
        if let first = first.withLock({ $0.take() }) { return first }
        let piece = rest.withLock { rest -> Range<Int>? in
            guard !rest.isEmpty else { return nil }
            let piece = rest.prefix(reader.pieceBytes)
            rest = piece.upperBound..<rest.upperBound
            return piece
        }
        guard let piece else { return nil }
        return try await reader.bytes(piece)
    }

    func cancel() { rest.withLock { $0 = $0.upperBound..<$0.upperBound } }
}
