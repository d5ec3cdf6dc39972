/// The destination of an answer's content (`save`).
package struct ArtifactSpec: Sendable, Hashable {
    /// The default limit of content: 1 GiB.
    package static let bytesDefault = 1 << 30

    /// The name of the content in a file: 1…100 letters, digits, `.`, `_` and `-`, not `.` at the front. By default
    /// the path of the operation.
    package var name: String?
    /// The limit of content, in bytes.
    package var bytesMax = ArtifactSpec.bytesDefault
    /// The form in which it is read while it arrives; nil: not before its end.
    package var stream: StreamSpec?

    package init() {}

    /// The name of the content of the operation at `path`, which is called `operation`.
    func name(at path: [String], _ operation: String) -> String {
        name ?? (path.isEmpty ? operation : path.joined(separator: "."))
    }
}
