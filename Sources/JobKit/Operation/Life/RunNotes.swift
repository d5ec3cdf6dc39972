internal import StrictJSON

/// The notes that an operation's work keeps for the rest of the run.
struct RunNotes {
    var values: [String: JSONValue] = [:]
    /// The number of operations of each name that were run inside of it.
    private var innerRuns: [String: Int] = [:]

    /// The last part of the path of an inner operation: its name, and a number when there was one of that name before.
    /// The same when the work is done again from the start.
    mutating func innerStep(_ name: String, attempt: Int) -> String {
        let base = attempt > 1 ? "\(name)@\(attempt)" : name
        let number = (innerRuns[base] ?? 0) + 1
        innerRuns[base] = number
        return number > 1 ? "\(base)#\(number)" : base
    }
}
