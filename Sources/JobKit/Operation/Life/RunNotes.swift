internal import StrictJSON

/// The notes that an operation's work keeps for the rest of the run.
struct RunNotes {
    var values: [String: JSONValue] = [:]
    /// The number of operations of each name that were run inside of it.
    private var innerRuns: [String: Int] = [:]

    /// One more operation of this name is run inside of it.
    /// - Returns: which one it is, from 1.
    mutating func countInner(_ name: String) -> Int {
        innerRuns[name, default: 0] += 1
        return innerRuns[name] ?? 1
    }
}
