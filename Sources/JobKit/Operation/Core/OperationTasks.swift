/// The tasks of an operation.
struct OperationTasks {
    /// The task that drives it through its states.
    var driver: Task<Void, Never>?
    /// Its timers.
    private(set) var clocks: [Task<Void, Never>] = []
    /// The time of its earliest timer: its timeout or its deadline.
    private(set) var alarm: Timestamp?

    mutating func add(_ clock: Task<Void, Never>) { clocks.append(clock) }

    mutating func setAlarm(_ date: Timestamp) { alarm = min(alarm ?? date, date) }

    /// Ends the tasks.
    /// - Returns: the timers to be cancelled.
    mutating func end() -> [Task<Void, Never>] {
        driver = nil
        defer { clocks = [] }
        return clocks
    }
}
