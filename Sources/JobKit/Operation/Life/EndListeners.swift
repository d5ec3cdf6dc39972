/// The waiters for an operation's end.
struct EndListeners {
    typealias Waiter = CheckedContinuation<OperationEnding?, Never>

    /// Called when the outcome is known, before its slot and its keys count as free.
    private var hooks: [@Sendable (OperationEnding) -> Void] = []
    /// Woken when its slot and its keys are free, by ticket.
    private var waiters: [UInt64: Waiter] = [:]
    /// Whether its slot and its keys are free.
    private(set) var isReleased = false

    mutating func add(_ hook: @escaping @Sendable (OperationEnding) -> Void) { hooks.append(hook) }

    mutating func add(_ waiter: Waiter, _ ticket: UInt64) { waiters[ticket] = waiter }

    mutating func remove(_ ticket: UInt64) -> Waiter? { waiters.removeValue(forKey: ticket) }

    mutating func takeHooks() -> [@Sendable (OperationEnding) -> Void] {
        defer { hooks = [] }
        return hooks
    }

    /// The waiters for its slot and its keys, in order of arrival.
    mutating func release() -> [Waiter] {
        isReleased = true
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }
}
