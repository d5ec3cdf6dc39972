internal import StrictJSON

/// The owner of exclusive keys: an operation, the same after a restart, and not the task that runs it.
public struct ExclusionOwner: Sendable, Hashable {
    /// The job, or another name that is the operation's alone.
    public var job: String
    /// The names from below the root down to it.
    public var path: [String]

    /// An owner.
    public init(job: String, path: [String]) {
        self.job = job
        self.path = path
    }

    /// Equal when the bytes of all names are.
    public static func == (left: ExclusionOwner, right: ExclusionOwner) -> Bool {
        left.job.hasSameBytes(as: right.job) && left.path.count == right.path.count
            && zip(left.path, right.path).allSatisfy { $0.hasSameBytes(as: $1) }
    }

    /// Feeds the bytes of all names to the hasher.
    public func hash(into hasher: inout Hasher) {
        ByteKey(job).hash(into: &hasher)
        for name in path { ByteKey(name).hash(into: &hasher) }
    }
}

extension OwnedText {
    /// The stored form of an exclusive key that counts inside of one operation alone, which holds the key itself.
    static func inside(_ stored: String, of group: ExclusionOwner) -> String {
        "\(stored)\u{2}\(group.job)/\(group.path.joined(separator: "/"))"
    }
}
