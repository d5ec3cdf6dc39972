internal import StrictJSON

/// A reference to be resolved in the group of its operation.
struct PendingReference {
    /// The name or path as written.
    let operation: String
    let hasFallback: Bool
    /// Whether it hands out the callback URL of the operation, whose result it does not need.
    var isCallback = false
    /// The position in the document.
    let pointer: JSONPointer
    /// The member of the group being read that contains it, at any depth.
    var member = 0
    /// The number of groups between it and that member.
    var levels = 0
    /// The names visible in the enclosing groups, a list of each group that its references share.
    var visible: [[String]] = []

    /// The names of the path, at least one.
    var steps: [String] {
        guard operation.utf8.contains(UInt8(ascii: "/")) else { return [operation] }
        return operation.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
    }
}

extension SpecReading {
    /// Notes that the callback URL of an operation is handed out here.
    mutating func refer(toCallbackOf operation: String) {
        references.append(
            PendingReference(operation: operation, hasFallback: false, isCallback: true, pointer: pointer))
    }
}
