extension BulkRecord.State {
    /// The number in a database. Never to be changed.
    package var stored: Int64 {
        switch self {
        case .running: 0
        case .completed: 1
        case .cancelled: 2
        }
    }

    package init?(stored: Int64) {
        guard let state = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = state
    }
}

extension BulkResult.Outcome {
    /// The number in a database. Never to be changed.
    package var stored: Int64 {
        switch self {
        case .done: 0
        case .skipped: 1
        case .failed: 2
        }
    }

    package init?(stored: Int64) {
        guard let outcome = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = outcome
    }
}
