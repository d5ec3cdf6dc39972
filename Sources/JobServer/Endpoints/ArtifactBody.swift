import HTTPMessage
import JobKit
import Synchronization

/// A byte range of a file as a response body. Each piece is read when the previous one has been sent.
final class ArtifactBody: HTTPBodySource {
    /// The size of one read.
    private static let pieceBytes = 256 << 10

    private let reader: any ArtifactReader
    private let rest: Mutex<Range<Int>>

    /// Creates the body for `range`, which must lie within the content.
    init(_ reader: any ArtifactReader, _ range: Range<Int>) {
        self.reader = reader
        rest = Mutex(range)
    }

    func next() throws -> [UInt8]? {
        let piece = rest.withLock { rest -> Range<Int>? in
            guard !rest.isEmpty else { return nil }
            let piece = rest.prefix(Self.pieceBytes)
            rest = piece.upperBound..<rest.upperBound
            return piece
        }
        return try piece.map { try reader.bytes($0) }
    }

    func cancel() { rest.withLock { $0 = $0.upperBound..<$0.upperBound } }
}
