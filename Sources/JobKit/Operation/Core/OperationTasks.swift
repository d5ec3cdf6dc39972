/// The tasks of an operation.
struct OperationTasks {
    /// The task that drives it through its states; none before it begins, nor while it is parked.
    private(set) var driver: Task<Void, Never>?
    /// The wait for which it gave up its task.
    private(set) var parking: Parking?
    /// The number of times that it was parked.
    private(set) var parkings: UInt32 = 0
    private(set) var timers: [Timer] = []
    /// The time of its earliest timer: its timeout or its deadline.
    private(set) var alarm: Timestamp?

    /// A timer that stops it.
    enum Timer {
        case task(Task<Void, Never>)
        case alarm(any AlarmClock, UInt64)

        func cancel() {
            switch self {
            case .task(let task): task.cancel()
            case .alarm(let clock, let number): clock.removeAlarm(number)
            }
        }
    }

    mutating func add(_ timer: Timer) { timers.append(timer) }

    mutating func setAlarm(_ date: Timestamp) { alarm = min(alarm ?? date, date) }

    /// Sets the driving task that was started after `parkings`, unless it has been parked again already.
    mutating func drive(_ task: Task<Void, Never>, after parkings: UInt32) {
        if parkings == self.parkings { driver = task }
    }

    /// Replaces the driving task by a wait.
    mutating func park(_ parking: Parking) {
        parkings += 1
        driver = nil
        self.parking = parking
    }

    /// Ends the wait.
    /// - Returns: the wait; nil when it has ended already.
    mutating func unpark() -> Parking? {
        defer { parking = nil }
        return parking
    }

    /// Ends the tasks.
    /// - Returns: the timers to be cancelled.
    mutating func end() -> [Timer] {
        driver = nil
        defer { timers = [] }
        return timers
    }
}
