public import StrictJSON

/// Something that came to a running job from outside.
public struct JobMessage: Sendable, Hashable {
    /// Who sent it.
    public var by: String
    /// What it says.
    public var content: Content

    /// What a message can say.
    public enum Content: Sendable, Hashable {
        /// A signal with a value. It is taken by one operation that awaits it.
        case signal(name: String, value: JSONValue)
        /// A person's answer to an approval.
        case approval(id: String, isApproved: Bool, comment: String?)
        /// Another member for the group at a path (the names from below the root; empty is the root): its spec.
        case member(group: [String], spec: JSONValue)
        /// Nothing further is to begin.
        case hold(reason: String?)
        /// What was held may go on.
        case release
    }

    /// A message.
    public init(by: String, content: Content) {
        self.by = by
        self.content = content
    }
}
