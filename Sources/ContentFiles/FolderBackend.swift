package import JobKit
package import JobStore

/// Content in a directory that all servers have mounted, such as one on NFS.
package final class FolderBackend: ContentBackend {
    /// The seconds for which the draft of a server that died stays.
    private static let draftsKeptFor = 86_400

    private let directory: ArtifactDirectory
    private let workers: ArtifactWorkers
    private let reserve: DiskReserve

    /// Creates the missing folders.
    /// - Throws: `.unavailable` when that fails.
    package init(_ path: String, reserve: DiskReserve = DiskReserve()) throws(JobStoreError) {
        self.reserve = reserve
        directory = try ArtifactDirectory(path)
        workers = try ArtifactWorkers(count: 2)
    }

    deinit { workers.close() }

    package var address: String { directory.path }

    package var pieceBytes: Int { 1 << 20 }

    package func put(_ artifact: ArtifactReference, from path: String) async throws(ArtifactFailure) {
        try await working { [directory, reserve] () throws(ArtifactFailure) in
            try reserve.check(artifact.bytes, at: directory.path, for: "The content")
            // Two servers may store the same content at the same time.
            let draft = directory.draft(.random(in: 0 ... .max))
            do throws(ArtifactFailure) {
                try FileTree.copyFile(path, to: draft)
                try directory.adopt(draft, as: artifact.sha256)
            } catch {
                ArtifactDirectory.remove(draft)
                throw error
            }
        }
    }

    package func bytes(
        _ range: Range<Int>, of artifact: ArtifactReference
    ) async throws(ArtifactFailure) -> [UInt8] {
        try await working { [directory] () throws(ArtifactFailure) in
            try ArtifactFileReader(bytes: artifact.bytes, at: directory.place(of: artifact.sha256))
                .localBytes(range)
        }
    }

    package func remove(_ sha256: String) async throws(ArtifactFailure) {
        await workers.result { [directory] in ArtifactDirectory.remove(directory.place(of: sha256)) }
    }

    package func check() async throws(ArtifactFailure) {
        try await working { [directory] () throws(ArtifactFailure) in
            let draft = directory.draft(.random(in: 0 ... .max))
            defer { ArtifactDirectory.remove(draft) }
            try ArtifactFile.writing(draft).sync()
            directory.removeDrafts(olderThan: Self.draftsKeptFor)
        }
    }

    private func working<Value: Sendable>(
        _ work: @escaping @Sendable () throws(ArtifactFailure) -> Value
    ) async throws(ArtifactFailure) -> Value {
        try await workers.result { Result { () throws(ArtifactFailure) in try work() } }.get()
    }
}
