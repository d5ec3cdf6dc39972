package import JobKit
internal import StrictJSON

/// A step of time of statistics.
package enum StatsStep: Int64, Sendable, CaseIterable {
    case minute, hour, day

    /// Its length in milliseconds.
    package var milliseconds: Int64 {
        switch self {
        case .minute: 60_000
        case .hour: 3_600_000
        case .day: 86_400_000
        }
    }

    /// The number of steps that are kept.
    package var kept: Int64 {
        switch self {
        case .minute: 24 * 60
        case .hour: 31 * 24
        case .day: 400
        }
    }

    package init?(_ word: String) {
        guard let step = Self.allCases.first(where: { "\($0)".hasSameBytes(as: word) }) else { return nil }
        self = step
    }

    /// The beginning of the step in which a time is. Days are those of UTC.
    package func start(of time: Timestamp) -> Timestamp {
        let rest = time.milliseconds % milliseconds
        return Timestamp(milliseconds: time.milliseconds - (rest < 0 ? rest + milliseconds : rest))
    }

    /// The beginning of the first step that is kept.
    package func oldest(at now: Timestamp) -> Timestamp {
        start(of: Timestamp(milliseconds: now.milliseconds - (kept - 1) * milliseconds))
    }
}

/// The facts of ends by which statistics count.
package enum StatsFacet: Int64, Sendable, CaseIterable {
    case state, code, host, queue, name
    /// Code, host and name of ends that failed or expired, see `FailureKey`.
    case failure

    /// Those that a request may name.
    package static let shown: [StatsFacet] = [.state, .code, .host, .queue, .name]
}
