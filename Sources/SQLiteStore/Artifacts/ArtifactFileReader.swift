import JobKit
import JobStore

/// A reader of finished content.
final class ArtifactFileReader: ArtifactReader {
    let byteCount: Int
    private let file: ArtifactFile

    init(_ artifact: ArtifactReference, at path: String) throws(ArtifactFailure) {
        file = try ArtifactFile.reading(path)
        byteCount = artifact.bytes
        guard file.byteCount == byteCount else {
            throw ArtifactFailure(
                .missing, "The stored content \(path) is not whole any more. Run the job again to fetch it.")
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
}
