/// The skip of an inner operation, which skips the outer one.
struct OperationSkip: Error {
    /// Why; at least one.
    var errors: [AOperationError]
    /// `cancelled` when what runs inside was cancelled alone.
    var state = JobState.skipped
}

/// Several errors of one attempt, as a group has them.
struct OperationErrors: Error {
    var list: [AOperationError]
}

extension OperationErrors: CustomStringConvertible {
    /// One line for people.
    var description: String { list.map(\.description).joined(separator: "; ") }
}

extension OperationSkip: CustomStringConvertible {
    /// One line for people.
    var description: String { errors.map(\.description).joined(separator: "; ") }
}
