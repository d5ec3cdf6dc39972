/// An operation's slot in its queue.
struct SlotState {
    /// Whether it waits in line for one.
    var isWaiting = false
    private(set) var isHeld = false
    /// Whether one was kept for it when it came back from an earlier run, and is kept on while it holds none.
    var isReserved = false
    /// Whether a place in line is kept for it.
    private(set) var hasPlace = false
    /// Whether others may use the slot, because all of its work waits.
    private(set) var isLent = false
    /// Whether a task of it is in line to take a lent slot again, and those that wait for that task.
    private var isReturning = false
    private var followers: [CheckedContinuation<Void, Never>] = []

    mutating func hold() {
        isHeld = true
        hasPlace = false
    }

    mutating func keepPlace() { hasPlace = true }

    /// Gives up the place; false when it has none.
    mutating func leavePlace() -> Bool {
        defer { hasPlace = false }
        return hasPlace
    }

    /// Releases the slot.
    /// - Returns: whether it held one.
    mutating func giveBack() -> Bool {
        defer { (isHeld, isLent) = (false, false) }
        return isHeld
    }

    // MARK: Lending it

    /// Lends the slot to others; false when it holds none.
    mutating func lend() -> Bool {
        guard isHeld else { return false }
        (isHeld, isLent) = (false, true)
        return true
    }

    /// Keeps a slot after all that `lend` was about to give away; false when a task is in line for it already.
    mutating func keepAfterAll() -> Bool {
        guard isLent, !isReturning else { return false }
        (isHeld, isLent) = (true, false)
        return true
    }

    /// The step of a task before it goes on.
    enum Return { case nothing, queue, follow }

    mutating func beginReturn() -> Return {
        guard isLent else { return .nothing }
        if isReturning { return .follow }
        isReturning = true
        return .queue
    }

    /// It has a slot again; false when it does not need one any more.
    mutating func takeBack() -> Bool {
        guard isLent else { return false }
        (isHeld, isLent) = (true, false)
        return true
    }

    /// Waits for the task that is in line; false when there is none any more.
    mutating func follow(_ follower: CheckedContinuation<Void, Never>) -> Bool {
        if isReturning { followers.append(follower) }
        return isReturning
    }

    /// The task is in line no more.
    /// - Returns: those that waited for it.
    mutating func endReturn() -> [CheckedContinuation<Void, Never>] {
        isReturning = false
        defer { followers = [] }
        return followers
    }
}
