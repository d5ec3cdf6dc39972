package import JobKit

/// The progress of a job as counts of its operations, without its own.
package struct OperationCounts: Sendable, Hashable {
    /// Those that are known so far.
    package var total: Int
    /// Those that ended, whichever way.
    package var done: Int
    /// Those of them that failed or expired.
    package var failed: Int
    /// The end of the last one at the present pace; nil when it is unknown.
    package var estimatedUntil: Timestamp?

    package init(total: Int, done: Int, failed: Int, estimatedUntil: Timestamp? = nil) {
        self.total = total
        self.done = done
        self.failed = failed
        self.estimatedUntil = estimatedUntil
    }

    /// The sum over the states.
    package init(_ states: [JobState: Int]) {
        self.init(total: 0, done: 0, failed: 0)
        for (state, count) in states {
            total += count
            if state.isFinal { done += count }
            if state.isFailure { failed += count }
        }
    }
}

/// The facts about a running job that change without a commit.
package struct LiveProgress: Sendable, Hashable {
    /// The progress that its operations report.
    package var reported: JobProgress?
    /// The counts of its operations.
    package var operations: OperationCounts?

    /// Nil when neither is known.
    package init?(reported: JobProgress?, operations: OperationCounts?) {
        if reported == nil, operations == nil { return nil }
        self.reported = reported
        self.operations = operations
    }
}

extension JobState {
    /// Whether it is an end without success that no person or condition asked for.
    package var isFailure: Bool { self == .failed || self == .expired }
}
