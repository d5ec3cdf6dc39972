internal import JobStore

/// The size of sweeps and the pause between them: small ones in short succession while there is much to do, so that
/// other writes never wait long for one.
struct SweepPace {
    private(set) var pause: Duration
    private(set) var limit = least
    private let longest: Duration

    /// A sweep of so many jobs takes a PostgreSQL store a millisecond or two.
    private static let least = 50
    /// Reached only where smaller sweeps cannot keep up.
    private static let most = 400
    private static let shortest = Duration.milliseconds(1)

    /// - Parameter longest: the pause when there is little to do.
    init(longest: Duration) {
        self.longest = longest
        pause = longest
    }

    /// Adapts to a sweep.
    mutating func note(_ end: SweepOutcome.End) {
        switch end {
        case .bytes:
            // Jobs that are large are erased one sweep after the other: more at a time would be no faster.
            pause = Self.shortest
        case .limit:
            if pause > Self.shortest {
                pause = max(pause / 2, Self.shortest)
            } else {
                limit = min(limit * 2, Self.most)
            }
        case .whole:
            if limit > Self.least { limit /= 2 } else { pause = min(pause * 2, longest) }
        }
    }
}
