import Synchronization

/// Counters of requests to callback URLs.
final class CallbackMetrics: Sendable {
    /// The effect of a request.
    enum Outcome: String, CaseIterable {
        case taken, repeated, ignored, heard, refused
    }

    private let counts = Mutex<[Outcome: Int]>([:])

    func count(_ outcome: Outcome) { counts.withLock { $0[outcome, default: 0] += 1 } }

    /// The number of requests since the start.
    func total(_ outcome: Outcome) -> Int { counts.withLock { $0[outcome] ?? 0 } }
}
