package import JobKit

/// An artifact that a job uses as the result of one of its operations.
package struct ArtifactUse: Sendable, Hashable {
    /// The operation: the names below the root; empty for the root.
    package var path: [String]
    /// The content, with its name in the job.
    package var artifact: ArtifactReference
    package var contentType: String?
    /// The codings, such as `gzip`, that the content still has.
    package var contentCoding: String?
    /// The end of the operation.
    package var storedAt: Timestamp

    /// The name of the artifact in the job: its own, or one made of the operation's path.
    package var name: String { artifact.name ?? (path.isEmpty ? "result" : path.joined(separator: ".")) }

    /// Creates a use; nil when the result is not an artifact.
    package init?(_ result: OperationResult?, path: [String], at time: Timestamp) {
        guard let result, let artifact = result.artifact else { return nil }
        self.path = path
        self.artifact = artifact
        contentType = result.contentType
        contentCoding = result.contentCoding
        storedAt = time
    }

    /// Creates a use from its row.
    package init(
        path: [String], artifact: ArtifactReference, contentType: String?, contentCoding: String?,
        storedAt: Timestamp
    ) {
        self.path = path
        self.artifact = artifact
        self.contentType = contentType
        self.contentCoding = contentCoding
        self.storedAt = storedAt
    }
}

extension RunUpdate {
    /// The artifacts that the update registers.
    package var artifactUses: [ArtifactUse] {
        var uses = journal.compactMap { entry -> ArtifactUse? in
            guard case .finished(let ending) = entry.event else { return nil }
            return ArtifactUse(ending.result, path: entry.path, at: entry.at)
        }
        if let standing, let at = standing.finishedAt ?? journal.last?.at,
            let use = ArtifactUse(standing.result, path: [], at: at)
        {
            uses.append(use)
        }
        return uses
    }
}
