import Synchronization

/// The time since which a database owes an answer. Noted by the thread that asks, read by all others.
final class DatabaseContact: Sendable {
    /// The time without an answer after which a database counts as silent.
    let patience: Duration
    /// Nanoseconds from `start` to the first question without an answer, at least 1; 0 when there is none.
    private let askedAt = Atomic<Int64>(0)
    private let start = ContinuousClock.now

    init(patience: Duration) { self.patience = patience }

    /// Notes a question.
    func ask(at now: ContinuousClock.Instant) {
        _ = askedAt.compareExchange(
            expected: 0, desired: max(1, start.duration(to: now).wholeNanoseconds),
            ordering: .acquiringAndReleasing)
    }

    /// Notes that there was an answer: a refusal is one, too.
    func rest() { askedAt.store(0, ordering: .releasing) }

    /// The time without an answer so far.
    func silence(at now: ContinuousClock.Instant) -> Duration {
        let asked = askedAt.load(ordering: .acquiring)
        return asked == 0 ? .zero : max(.zero, start.duration(to: now) - .nanoseconds(asked))
    }

    /// Whether an answer is overdue.
    func isSilent(at now: ContinuousClock.Instant) -> Bool {
        askedAt.load(ordering: .acquiring) != 0 && silence(at: now) >= patience
    }
}

extension Duration {
    /// Rounded down; of less than 292 years.
    var wholeNanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

extension PostgresFailure {
    /// An answer is overdue.
    static func silent(for patience: Duration) -> PostgresFailure {
        .lost("no answer for \(patience.wholeNanoseconds / 1_000_000) ms")
    }
}
