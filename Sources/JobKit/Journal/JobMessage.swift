package import StrictJSON

/// A message to a running job from outside.
package struct JobMessage: Sendable, Hashable {
    package var by: String
    package var content: Content

    /// The content of a message.
    package enum Content: Sendable, Hashable {
        /// A signal with a value. It is taken by one operation that awaits it.
        case signal(name: String, value: JSONValue)
        /// A signal whose content is not JSON.
        case content(name: String, OperationResult)
        /// A request that came to a callback URL and ends the wait of its operation.
        indirect case report(JobReport)
        /// A person's decision about an approval.
        case approval(id: String, isApproved: Bool, comment: String?)
        /// A new member for the group at a path (the names below the root; empty is the root): its spec.
        case member(group: [String], spec: JSONValue)
        /// A hold: no further operation starts.
        case hold(reason: String?)
        /// A release from a hold.
        case release
    }

    package init(by: String, content: Content) {
        self.by = by
        self.content = content
    }

    /// Above all limits of messages.
    private static let sizeMax = 1 << 30

    /// The size of what a sender can make large, as JSON in bytes: a signal's value, or a member's spec.
    package var size: Int {
        switch content {
        case .content(_, let content): content.body.count
        case .report(let report): report.content.storedCount
        case .signal(_, let value): value.encodedCount(upTo: Self.sizeMax) ?? Self.sizeMax
        case .member(_, let spec): spec.encodedCount(upTo: Self.sizeMax) ?? Self.sizeMax
        case .approval, .hold, .release: 0
        }
    }
}
