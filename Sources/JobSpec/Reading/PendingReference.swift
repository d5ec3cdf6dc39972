internal import StrictJSON

/// A reference that waits for the group in which its operation is.
struct PendingReference {
    /// The name or path as written.
    let operation: String
    let hasFallback: Bool
    /// Its place in the document.
    let pointer: JSONPointer
    /// The member of the group being read that contains it, at any depth.
    var member = 0
    /// The number of groups between it and that member.
    var levels = 0
    /// The names that could be seen on the way out.
    var visible: [String] = []
}
