extension Occurrence.Origin {
    /// The number in a database. Never to be changed.
    package var stored: Int64 {
        switch self {
        case .plan: 0
        case .manual: 1
        case .backfill: 2
        }
    }

    /// The case with a number; nil for an unknown one.
    package init?(stored: Int64) {
        guard let origin = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = origin
    }
}

extension Occurrence.Reason {
    /// The number in a database. Never to be changed.
    package var stored: Int64 {
        switch self {
        case .overlap: 0
        case .missed: 1
        case .paused: 2
        case .excluded: 3
        case .limit: 4
        case .invalid: 5
        }
    }

    /// The case with a number; nil for an unknown one.
    package init?(stored: Int64) {
        guard let reason = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = reason
    }
}
