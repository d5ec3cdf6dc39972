/// Names content that is kept in a file beside the store: the same content has the same name everywhere.
public struct ArtifactReference: Sendable, Hashable {
    /// The SHA-256 of the content, 64 hexadecimal digits in lower case.
    public var sha256: String
    /// The length of the content in bytes, 0 or more.
    public var bytes: Int
    /// The name in the job; by default the path of the operation.
    public var name: String?

    /// A reference.
    public init(sha256: String, bytes: Int, name: String? = nil) {
        self.sha256 = sha256
        self.bytes = bytes
        self.name = name
    }

    /// The digest for display: `sha256:` and the digits.
    public var digest: String { "sha256:" + sha256 }
}
