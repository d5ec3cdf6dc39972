import JobStore

// DESIGN
// A job whose submitter waits for its end, and whose run only reads, need not be durable before it runs: as long as no
// one was told of it, it may be lost with its run. So the transaction that stores it stays open while nothing else is
// to be written, and when the run ends in time, the job is written once, as it ended, with one sync. The row of the job
// waits for that; everything else is written as for any job. Whatever else is to be written ends the wait.

/// The new jobs of the open transaction whose rows are not written yet.
struct FirstRuns {
    struct Run {
        var job: StoredJob
        /// The place of the metadata in the spec, see `NewJob`.
        let metadataPlace: Range<Int>?
        /// The place of its change among those of the transaction.
        let changePlace: Int
    }

    /// The maximum wait for the end of a run. Equals `RunnerTimes.flushEvery`: the entries of a longer run are written
    /// before its end anyway.
    private static let waitMax = Duration.milliseconds(50)

    private var runs: [Run] = []
    private var began: ContinuousClock.Instant?

    var isEmpty: Bool { runs.isEmpty }
    var count: Int { runs.count }

    /// The milliseconds until the transaction must be committed.
    var millisecondsLeft: Int {
        guard let began else { return 0 }
        let left = (Self.waitMax - began.duration(to: .now)).components
        return max(0, Int(left.seconds) * 1_000 + Int(left.attoseconds / 1_000_000_000_000_000))
    }

    mutating func add(_ job: StoredJob, _ metadataPlace: Range<Int>?, changePlace: Int) {
        if began == nil { began = .now }
        runs.append(Run(job: job, metadataPlace: metadataPlace, changePlace: changePlace))
    }

    /// Notes the end of a job, if its row is not written yet.
    /// - Returns: the place of its change.
    mutating func end(_ job: StoredJob) -> Int? {
        guard let place = runs.firstIndex(where: { $0.job.number == job.number }) else { return nil }
        runs[place].job = job
        return runs[place].changePlace
    }

    mutating func takeAll() -> [Run] {
        defer { removeAll() }
        return runs
    }

    mutating func removeAll() {
        runs = []
        began = nil
    }
}
