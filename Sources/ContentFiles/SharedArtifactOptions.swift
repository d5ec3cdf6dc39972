/// Settings of content that servers share.
package struct SharedArtifactOptions: Sendable {
    /// The directory on this machine for content in work.
    package var path: String
    package var files: ArtifactOptions
    /// The shared place.
    package var backend: any ContentBackend
    /// For how long content that no job uses stays, from its last upload on. Default 24 h.
    package var grace = Duration.seconds(86_400)

    package init(path: String, files: ArtifactOptions, backend: any ContentBackend) {
        self.path = path
        self.files = files
        self.backend = backend
    }
}
