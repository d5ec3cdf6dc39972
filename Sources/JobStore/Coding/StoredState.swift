package import JobKit

extension JobState {
    /// The number of the state in the database. Never to be changed; 10 and above are final.
    package var stored: Int64 {
        switch self {
        case .pending: 0
        case .scheduled: 1
        case .queued: 2
        case .running: 3
        case .waiting: 4
        case .retrying: 5
        case .held: 6
        case .cancelling: 7
        case .succeeded: 10
        case .failed: 11
        case .cancelled: 12
        case .expired: 13
        case .skipped: 14
        }
    }

    /// The state with a number; nil for an unknown one.
    package init?(stored: Int64) {
        guard let state = Self.byNumber[stored] else { return nil }
        self = state
    }

    private static let byNumber = Dictionary(uniqueKeysWithValues: allCases.map { ($0.stored, $0) })
}

extension ApprovalState {
    /// The number of the state in the database. Never to be changed.
    package var stored: Int64 {
        switch self {
        case .open: 0
        case .approved: 1
        case .rejected: 2
        case .expired: 3
        case .withdrawn: 4
        }
    }

    /// The state with a number; nil for an unknown one.
    package init?(stored: Int64) {
        guard let state = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = state
    }
}

extension GrantStatus {
    /// The number of the status in the database. Never to be changed.
    package var stored: Int64 {
        switch self {
        case .undetermined: 0
        case .granted: 1
        case .denied: 2
        case .expired: 3
        case .unavailable: 4
        }
    }

    /// The status with a number; nil for an unknown one.
    package init?(stored: Int64) {
        guard let status = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = status
    }
}
