/// Work of a kind that is not built in.
public struct CustomSpec: Sendable, Hashable {
    /// The kind's name.
    public var type: String
    /// Its members as written, to be filled in when it runs.
    public var members: [NetworkSpec.Entry]

    /// Work of a kind.
    public init(type: String, members: [NetworkSpec.Entry]) {
        self.type = type
        self.members = members
    }
}
