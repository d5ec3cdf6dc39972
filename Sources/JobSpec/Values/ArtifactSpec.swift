/// The destination of an answer's content (`to`).
public struct ArtifactSpec: Sendable, Hashable {
    /// The default limit of content: 1 GiB.
    public static let bytesDefault = 1 << 30

    /// The name of the content in a file: 1…100 letters, digits, `.`, `_` and `-`, not `.` at the front. By default
    /// the path of the operation.
    public var name: String?
    /// The limit of content, in bytes.
    public var bytesMax = ArtifactSpec.bytesDefault

    /// The default.
    public init() {}

    /// The name of the content of the operation at `path`, which is called `operation`.
    func name(at path: [String], _ operation: String) -> String {
        name ?? (path.isEmpty ? operation : path.joined(separator: "."))
    }
}
