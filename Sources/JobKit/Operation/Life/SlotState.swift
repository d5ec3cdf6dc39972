/// An operation's slot in its queue.
struct SlotState {
    /// Whether it waits in line for one.
    var isWaiting = false
    private(set) var isHeld = false
    /// Whether one was kept for it when it came back from an earlier run, and is kept on while it holds none.
    var isReserved = false

    mutating func hold() { isHeld = true }

    /// Releases the slot.
    /// - Returns: whether it held one.
    mutating func giveBack() -> Bool {
        defer { isHeld = false }
        return isHeld
    }
}
