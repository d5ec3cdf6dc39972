/// Decides when to check whether a whole tree is idle. A check walks the whole tree, so events at about the same time
/// share one.
struct IdleWatch: Sendable {
    /// A check of the tree that is to be made.
    enum Look: Sendable {
        /// In the next turn of the loop.
        case soon
        case later
    }

    /// The number of waits of a run after which all checks are late ones.
    static let soonMax = 100
    private var waits = 0
    private var isSoonDue = false
    private var isLaterDue = false
    private var isToBeStored = false

    /// Reports that an operation began to wait.
    /// - Parameter isLong: whether the wait is to be stored if the tree stays in memory.
    /// - Returns: the check to make; nil when it is already scheduled.
    mutating func waitBegan(isLong: Bool) -> Look? {
        waits += 1
        if isLong { isToBeStored = true }
        return ask(waits > Self.soonMax ? .later : .soon)
    }

    /// Reports that an operation that may have kept the tree busy became idle, which may have woken another one.
    mutating func operationBecameIdle() -> Look? { waits > 0 ? ask(.later) : nil }

    /// Reports that a check is being made.
    /// - Returns: whether the unsent entries are to be stored, unless the tree is suspended.
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
