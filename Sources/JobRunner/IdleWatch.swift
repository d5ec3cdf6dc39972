/// When to look whether nothing in the tree of a run can go on: a look goes through the whole tree, and so one is made
/// for everything that happens at about the same time.
struct IdleWatch: Sendable {
    /// A look at the tree that is to be made.
    enum Look: Sendable {
        /// As soon as the loop comes to it.
        case soon
        /// A moment later.
        case later
    }

    /// The number of waits of a run after which all looks are late ones.
    static let soonMax = 100
    private var waits = 0
    private var isSoonDue = false
    private var isLaterDue = false
    private var isToBeStored = false

    /// An operation began to wait.
    /// - Parameter isLong: whether the wait is to be stored if the tree stays in memory.
    /// - Returns: the look to make; nil when it is under way already.
    mutating func waitBegan(isLong: Bool) -> Look? {
        waits += 1
        if isLong { isToBeStored = true }
        return ask(waits > Self.soonMax ? .later : .soon)
    }

    /// An operation that may have kept the tree busy became idle, which may have woken another one.
    mutating func operationBecameIdle() -> Look? { waits > 0 ? ask(.later) : nil }

    /// The look is being made.
    /// - Returns: whether what was noted is to be stored, unless the tree is suspended.
    mutating func looks(_ look: Look) -> Bool {
        if look == .soon { isSoonDue = false } else { isLaterDue = false }
        defer { isToBeStored = false }
        return isToBeStored
    }

    private mutating func ask(_ look: Look) -> Look? {
        switch look {
        case .soon:
            defer { isSoonDue = true }
            return isSoonDue ? nil : look
        case .later:
            defer { isLaterDue = true }
            return isLaterDue ? nil : look
        }
    }
}
