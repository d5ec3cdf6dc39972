/// The number of batches of jobs that a claim asks for. A claim takes several round trips to a database, one at a time:
/// the farther it is, the more jobs each has to bring.
struct ClaimPace {
    private static let short = Duration.milliseconds(4)
    private static let long = Duration.milliseconds(8)
    private static let batchesMax = 4

    private(set) var batches = 1

    /// Notes the time of a claim, and whether there may be more than it brought.
    mutating func note(_ took: Duration, isFilled: Bool) {
        if took < Self.short {
            batches = 1
        } else if took >= Self.long, isFilled {
            batches = min(2 * batches, Self.batchesMax)
        }
    }
}
