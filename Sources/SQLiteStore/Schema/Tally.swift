import JobKit
import JobStore

// DESIGN
// Opening a store counts next to nothing, so counts are stored. They are those of the older jobs only, up to a number
// that is stored with them: to write them with each commit would cost a page and a statement or two for each job that
// comes and each that ends. Most jobs end while they are young, and these are counted when the store is opened.

/// Counts of all jobs that the writer keeps in memory.
struct Tally: Sendable {
    private var counts = [Int](repeating: 0, count: 16)
    /// The counts that are stored: of jobs with numbers up to `bound`.
    private var older = [Int](repeating: 0, count: 16)
    private var bound: Int64 = 0
    /// Whether the bound is stored as it is here.
    private(set) var hasStoredBound = false
    /// The number of the next job.
    var nextNumber: Int64 = 1
    /// A lower bound of all due dates; nil when no job has one.
    var nothingDueBefore: Timestamp?
    /// States whose stored count changed since the last commit, one bit each.
    private var changed: UInt16 = 0
    /// So many young jobs become older ones.
    private static let youngMax = 1_000

    /// The row of the bound.
    static let boundState: Int64 = -1

    /// Selects states and the numbers of their jobs. Without a bound all jobs are in the stored counts.
    static let query = """
        SELECT state, sum(jobs) AS jobs FROM (SELECT state, jobs FROM tally WHERE state <> \(boundState) UNION ALL \
        SELECT state, count(*) FROM job WHERE number > (SELECT jobs FROM tally WHERE state = \(boundState)) \
        GROUP BY state) GROUP BY state
        """

    /// The number of unfinished jobs.
    var unfinished: Int { counts[..<10].reduce(0, +) }

    subscript(state: JobState) -> Int { counts[Int(state.stored)] }

    /// Sets a count that was read.
    mutating func restore(_ state: JobState, count: Int) { counts[Int(state.stored)] = count }

    /// Adds a difference to the count of `state`.
    /// - Parameter number: that of the job.
    mutating func add(_ state: JobState, _ difference: Int, of number: Int64) {
        counts[Int(state.stored)] += difference
        guard number <= bound else { return }
        older[Int(state.stored)] += difference
        changed |= 1 << UInt16(state.stored)
    }

    /// Counts the transition of a job.
    mutating func move(_ before: JobState, to state: JobState, of number: Int64) {
        guard before != state else { return }
        add(before, -1, of: number)
        add(state, 1, of: number)
    }

    /// Lowers the bound of due dates.
    mutating func noteDue(_ time: Timestamp?) {
        guard let time else { return }
        nothingDueBefore = min(nothingDueBefore ?? time, time)
    }

    /// The counts to store with a commit, with the bound when it has changed.
    var toStore: [(state: Int64, jobs: Int64)] {
        var rows: [(state: Int64, jobs: Int64)] = []
        if !hasStoredBound { rows.append((Self.boundState, bound)) }
        if changed == 0 { return rows }
        for state in JobState.allCases where changed & (1 << UInt16(state.stored)) != 0 {
            rows.append((state.stored, Int64(older[Int(state.stored)])))
        }
        return rows
    }

    /// Counts all jobs among the older ones, when there are too many young ones.
    mutating func age() {
        guard !hasStoredBound || nextNumber - 1 - bound >= Self.youngMax else { return }
        hasStoredBound = false
        bound = nextNumber - 1
        older = counts
        changed = .max
    }

    /// Clears the changes, after they were written.
    mutating func forgetChanges() {
        changed = 0
        hasStoredBound = true
    }

    /// Whether the counts are equal.
    func hasSameJobs(as other: Tally) -> Bool { counts == other.counts }

    /// All counts that are not zero.
    var byState: [JobState: Int] {
        var result: [JobState: Int] = [:]
        for state in JobState.allCases where self[state] != 0 { result[state] = self[state] }
        return result
    }
}
