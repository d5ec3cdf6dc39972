import JobKit
import Synchronization

/// A reader of content in a shared place. When all of it is read in order, its digest is checked before the last piece
/// is returned.
final class SharedArtifactReader: ArtifactReader {
    private struct Check {
        var digest: (any RunningDigest)?
        var count = 0
    }

    private let artifact: ArtifactReference
    private let backend: any ContentBackend
    private let check: Mutex<Check>

    init(_ artifact: ArtifactReference, in backend: any ContentBackend, digest: any RunningDigest) {
        self.artifact = artifact
        self.backend = backend
        check = Mutex(Check(digest: digest))
    }

    var byteCount: Int { artifact.bytes }

    var pieceBytes: Int { backend.pieceBytes }

    func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(ArtifactFailure) -> Int {
        throw ArtifactFailure(
            .unavailable,
            "The content could not be fetched from \(backend.address) when it was needed. Try again later.")
    }

    func bytes(_ range: Range<Int>) async throws(ArtifactFailure) -> [UInt8] {
        let content = try await backend.bytes(range, of: artifact)
        guard content.count == range.count else { throw damaged("is shorter than \(artifact.bytes) bytes") }
        let isSound = check.withLock { check -> Bool in
            guard let digest = check.digest, check.count == range.lowerBound else {
                check.digest = nil
                return true
            }
            digest.update(content.span)
            check.count = range.upperBound
            guard check.count == artifact.bytes else { return true }
            check.digest = nil
            return HexText.encode(digest.finish()) == artifact.sha256
        }
        if !isSound { throw damaged("has another digest") }
        return content
    }

    private func damaged(_ what: String) -> ArtifactFailure {
        ArtifactFailure(
            .missing,
            "The content \(artifact.sha256) in \(backend.address) \(what). Run the job again to fetch it.")
    }
}
