import JobKit

/// The failure that keeps the writer from writing, and the time of the next try. One object, since the writer looks for
/// it with every group.
final class WriterTrouble {
    let failure: SQLiteFailure
    /// Whether the database file itself may lack what the system reports as written: see `StoreWriter.openAnew`.
    var isInDatabase = false
    /// The counts that were acknowledged before.
    let acknowledged: Tally?
    private var pause: Duration
    private let pauseMax: Duration
    private var nextTry: ContinuousClock.Instant

    init(_ failure: SQLiteFailure, acknowledged: Tally?, retryMilliseconds: Int) {
        self.failure = failure
        self.acknowledged = acknowledged
        pause = .milliseconds(retryMilliseconds)
        pauseMax = pause * 10
        nextTry = .now + pause
    }

    /// Whether it is time for another try.
    var isDue: Bool { ContinuousClock.now >= nextTry }

    /// Milliseconds until the next try, at least 1.
    var millisecondsLeft: Int {
        let left = ContinuousClock.now.duration(to: nextTry)
        return max(1, Int(clamping: left.wholeMilliseconds))
    }

    /// Postpones the next try after a failed one.
    func failAgain() {
        pause = min(pause * 2, pauseMax)
        nextTry = .now + pause
    }
}
