/// The tasks of an operation.
struct OperationTasks {
    /// Takes it through its states.
    var driver: Task<Void, Never>?
    /// Its clocks.
    private(set) var clocks: [Task<Void, Never>] = []
    /// When the first of its clocks strikes: its timeout or its deadline.
    private(set) var alarm: Timestamp?

    mutating func add(_ clock: Task<Void, Never>) { clocks.append(clock) }

    mutating func setAlarm(_ date: Timestamp) { alarm = min(alarm ?? date, date) }

    /// It is over.
    /// - Returns: its clocks, to be cancelled.
    mutating func end() -> [Task<Void, Never>] {
        driver = nil
        defer { clocks = [] }
        return clocks
    }
}
