package import JobKit

/// An artifact that a job has as the result of one of its operations.
package struct ArtifactUse: Sendable, Hashable {
    /// The operation: the names below the root; empty for the root.
    package var path: [String]
    /// The content, with its name in the job.
    package var artifact: ArtifactReference
    /// Its media type.
    package var contentType: String?
    /// The codings such as `gzip` that the content still has.
    package var contentCoding: String?
    /// When the operation ended.
    package var storedAt: Timestamp

    /// The name of the content in the job: its own, or that of the operation's place.
    package var name: String { artifact.name ?? (path.isEmpty ? "result" : path.joined(separator: ".")) }

    /// A use; nil when the result is no artifact.
    package init?(_ result: OperationResult?, path: [String], at time: Timestamp) {
        guard let result, let artifact = result.artifact else { return nil }
        self.path = path
        self.artifact = artifact
        contentType = result.contentType
        contentCoding = result.contentCoding
        storedAt = time
    }

    /// A use as it was stored.
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
    /// The artifacts that the update brings.
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
