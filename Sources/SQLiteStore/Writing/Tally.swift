import JobKit
import JobStore

/// Counts of all jobs that the writer keeps in memory. They are written with each commit, so that opening a store
/// counts nothing.
struct Tally: Sendable {
    private var counts = [Int](repeating: 0, count: 16)
    /// The number of the next job.
    var nextNumber: Int64 = 1
    /// A lower bound of all due dates; nil when no job has one.
    var nothingDueBefore: Timestamp?
    /// States whose count changed since the last commit, one bit each.
    private(set) var changed: UInt16 = 0

    /// The number of unfinished jobs.
    var unfinished: Int { counts[..<10].reduce(0, +) }

    subscript(state: JobState) -> Int { counts[Int(state.stored)] }

    /// Sets a count that was read.
    mutating func restore(_ state: JobState, count: Int) { counts[Int(state.stored)] = count }

    /// Adds a difference to the count of `state`.
    mutating func add(_ state: JobState, _ difference: Int) {
        counts[Int(state.stored)] += difference
        changed |= 1 << UInt16(state.stored)
    }

    /// Counts the transition of a job.
    mutating func move(_ before: JobState, to state: JobState) {
        guard before != state else { return }
        add(before, -1)
        add(state, 1)
    }

    /// Lowers the bound of due dates.
    mutating func noteDue(_ time: Timestamp?) {
        guard let time else { return }
        nothingDueBefore = min(nothingDueBefore ?? time, time)
    }

    /// Clears the changes, after they were written.
    mutating func forgetChanges() { changed = 0 }

    /// Whether the counts are equal.
    func hasSameJobs(as other: Tally) -> Bool { counts == other.counts }

    /// The states whose count changed.
    var changedStates: [JobState] {
        changed == 0 ? [] : JobState.allCases.filter { changed & (1 << UInt16($0.stored)) != 0 }
    }

    /// All counts that are not zero.
    var byState: [JobState: Int] {
        var result: [JobState: Int] = [:]
        for state in JobState.allCases where self[state] != 0 { result[state] = self[state] }
        return result
    }
}
