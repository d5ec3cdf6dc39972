/// The skip of an inner operation, which skips the outer one.
package struct OperationSkip: Error {
    /// The reasons; at least one.
    var errors: [AOperationError]
    /// `cancelled` when the inner operation was cancelled on its own.
    var state = JobState.skipped

    package init(errors: [AOperationError], state: JobState = .skipped) {
        self.errors = errors
        self.state = state
    }
}

/// Several errors of one attempt, as a group has them.
package struct OperationErrors: Error {
    package var list: [AOperationError]

    package init(list: [AOperationError]) {
        self.list = list
    }
}

extension OperationErrors: CustomStringConvertible {
    /// One line for people.
    package var description: String { list.map(\.description).joined(separator: "; ") }
}

extension OperationSkip: CustomStringConvertible {
    /// One line for people.
    package var description: String { errors.map(\.description).joined(separator: "; ") }
}
