internal import StrictJSON

/// What the work of an operation keeps for the rest of the run.
struct RunNotes {
    var values: [String: JSONValue] = [:]
    /// How often an operation of this name was run inside of it.
    private var innerRuns: [String: Int] = [:]

    /// One more operation of this name is run inside of it.
    /// - Returns: which one it is, from 1.
    mutating func countInner(_ name: String) -> Int {
        innerRuns[name, default: 0] += 1
        return innerRuns[name] ?? 1
    }
}
