import JobKit
import JobStore

/// A reader of finished content. The content stays readable when its file is removed meanwhile.
final class ArtifactFileReader: ArtifactReader {
    let byteCount: Int
    private let file: ArtifactFile
    private let workers: ArtifactWorkers?

    var pieceBytes: Int { 256 << 10 }

    /// Opens the file with content of this length.
    /// - Parameter workers: the threads that read for `bytes`; without them it is the caller's.
    init(bytes: Int, at path: String, on workers: ArtifactWorkers? = nil) throws(ArtifactFailure) {
        self.workers = workers
        file = try ArtifactFile.reading(path)
        byteCount = bytes
        guard file.byteCount == byteCount else {
            throw ArtifactFailure(
                .missing, "The stored content \(path) is not whole any more. Fetch or upload it again.")
        }
        file.expectReading()
    }

    func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(ArtifactFailure) -> Int {
        guard offset < byteCount, !bytes.isEmpty else { return 0 }
        var part = bytes._mutatingExtracting(0..<min(bytes.count, byteCount - offset))
        let count = try file.read(at: offset, into: &part)
        guard count > 0 else {
            throw ArtifactFailure(.missing, "The stored content is not whole any more.")
        }
        return count
    }

    func bytes(_ range: Range<Int>) async throws(ArtifactFailure) -> [UInt8] {
        guard let workers else { return try localBytes(range) }
        return try await workers.result { [self] in
            Result { () throws(ArtifactFailure) in try localBytes(range) }
        }.get()
    }
}
