import ContentFiles
import JobKit
import OpenSSLCrypto

/// Copies content between a directory and a shared place, and reads it there to compare its digest.
struct ContentCopy {
    /// The number of artifacts that were copied.
    private(set) var count = 0
    /// The digests of those that the source lacks, or has only damaged.
    private(set) var lost: [String] = []
    /// The number of artifacts that are copied at the same time.
    private static let width = 4

    /// Copies from a directory into a shared place.
    mutating func put(
        _ artifacts: [ArtifactReference], from directory: ArtifactDirectory, in backend: any ContentBackend
    ) async throws(ArtifactFailure) {
        try await each(artifacts) { artifact throws(ArtifactFailure) in
            guard directory.holds(artifact, makeDigest: { RunningSHA256() }, goesOn: { true }) else {
                return false
            }
            try await backend.put(artifact, from: directory.place(of: artifact.sha256))
            guard try await Self.read(artifact, from: backend, into: nil) else {
                throw ArtifactFailure(
                    .unavailable,
                    "Content just stored as \(artifact.sha256) in \(backend.address) reads back with a different digest. "
                        + "Check that place, and copy again with --restart.")
            }
            return true
        }
    }

    /// Copies from a shared place into a directory.
    mutating func fetch(
        _ artifacts: [ArtifactReference], from backend: any ContentBackend, to directory: ArtifactDirectory
    ) async throws(ArtifactFailure) {
        try await each(artifacts) { artifact throws(ArtifactFailure) in
            try DiskReserve().check(
                artifact.bytes, at: directory.path, for: "The artifact \(artifact.sha256)")
            let draft = directory.draft(.random(in: 0 ... .max))
            defer { ArtifactDirectory.remove(draft) }
            let file = try ArtifactFile.writing(draft)
            do throws(ArtifactFailure) {
                guard try await Self.read(artifact, from: backend, into: file) else { return false }
            } catch {
                if error.code == .missing { return false }
                throw error
            }
            try file.sync()
            try directory.adopt(draft, as: artifact.sha256)
            guard directory.holds(artifact, makeDigest: { RunningSHA256() }, goesOn: { true }) else {
                throw ArtifactFailure(
                    .unavailable,
                    "What was just written to \(directory.place(of: artifact.sha256)) is read differently. Check the "
                        + "disk, and copy again with --restart.")
            }
            return true
        }
    }

    /// Reads all content of an artifact. Returns whether it has its digest.
    private static func read(
        _ artifact: ArtifactReference, from backend: any ContentBackend, into file: ArtifactFile?
    ) async throws(ArtifactFailure) -> Bool {
        let digest = RunningSHA256()
        var place = 0
        while place < artifact.bytes {
            let end = min(artifact.bytes, place + backend.pieceBytes)
            let piece = try await backend.bytes(place..<end, of: artifact)
            guard !piece.isEmpty else { return false }
            digest.update(piece.span)
            try file?.append(piece.span)
            place += piece.count
        }
        return HexText.encode(digest.finish()) == artifact.sha256
    }

    /// Copies artifacts, a few at the same time.
    private mutating func each(
        _ artifacts: [ArtifactReference],
        _ copy: @escaping @Sendable (ArtifactReference) async throws(ArtifactFailure) -> Bool
    ) async throws(ArtifactFailure) {
        for start in stride(from: 0, to: artifacts.count, by: Self.width) {
            let some = artifacts[start..<min(start + Self.width, artifacts.count)]
            // No task group: optimized by Swift 6.3, one whose child tasks leave a typed `do` by two returns of a tuple
            // does not wait for them.
            let running = some.map { artifact in
                Task { () -> Result<Bool, ArtifactFailure> in
                    do throws(ArtifactFailure) { return .success(try await copy(artifact)) } catch {
                        return .failure(error)
                    }
                }
            }
            var failure: ArtifactFailure?
            for (artifact, task) in zip(some, running) {
                switch await task.value {
                case .success(true): count += 1
                case .success(false): lost.append(artifact.sha256)
                case .failure(let error): failure = failure ?? error
                }
            }
            if let failure { throw failure }
        }
    }
}
