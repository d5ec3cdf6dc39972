/// The uploads that calls may send.
package protocol UploadBook: Sendable {
    /// The content of an upload; nil when there is none.
    func content(of id: UploadID) async throws(ArtifactFailure) -> UploadedContent?
}

/// Content that a client has sent.
package struct UploadedContent: Sendable, Hashable {
    package var artifact: ArtifactReference
    package var contentType: String?

    package init(artifact: ArtifactReference, contentType: String?) {
        self.artifact = artifact
        self.contentType = contentType
    }
}
