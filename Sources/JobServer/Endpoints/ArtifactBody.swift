import HTTPMessage
import JobKit
import Synchronization

/// A part of a file as the content of an answer: the next piece is read when the one before has gone out.
final class ArtifactBody: HTTPBodySource {
    /// How much is read at once.
    private static let pieceBytes = 256 << 10

    private let reader: any ArtifactReader
    private let rest: Mutex<Range<Int>>

    /// The bytes of `range`, which lie within the content.
    init(_ reader: any ArtifactReader, _ range: Range<Int>) {
        self.reader = reader
        rest = Mutex(range)
    }

    /// The next piece.
    func next() throws -> [UInt8]? {
        let piece = rest.withLock { rest -> Range<Int>? in
            guard !rest.isEmpty else { return nil }
            let piece = rest.prefix(Self.pieceBytes)
            rest = piece.upperBound..<rest.upperBound
            return piece
        }
        return try piece.map { try reader.bytes($0) }
    }

    /// Nothing more is asked for.
    func cancel() { rest.withLock { $0 = $0.upperBound..<$0.upperBound } }
}
