/// The three clocks of one transfer, as a value: the client tells it what happened and asks what is overdue.
struct CallClocks {
    typealias Instant = ContinuousClock.Instant

    /// The clock that ran out.
    enum Expiry: Hashable {
        case connect, firstByte, attempt
    }

    private enum Stage {
        case connecting(until: Instant)
        case sending
        case waiting(until: Instant)
        case receiving
    }

    private let attemptUntil: Instant
    private let firstByteTimeout: Duration
    private var stage: Stage

    /// Clocks that start at `now`; the attempt's end is given, because one attempt may span several transfers.
    init(now: Instant, connectTimeout: Duration, firstByteTimeout: Duration, attemptUntil: Instant) {
        self.attemptUntil = attemptUntil
        self.firstByteTimeout = firstByteTimeout
        stage = .connecting(until: now.advanced(by: connectTimeout))
    }

    /// The connection stands and the request begins to leave.
    mutating func beganSending() { stage = .sending }

    /// The last byte of the request left.
    mutating func finishedSending(at now: Instant) {
        guard case .sending = stage else { return }
        stage = .waiting(until: now.advanced(by: firstByteTimeout))
    }

    /// Something of the answer arrived.
    mutating func receivedFirstByte() { stage = .receiving }

    /// When somebody has to look at these clocks again, if nothing happens until then.
    var nextDeadline: Instant {
        switch stage {
        case .connecting(let until), .waiting(let until): min(until, attemptUntil)
        case .sending, .receiving: attemptUntil
        }
    }

    /// The clock that ran out first, if one has at `now`. Of two that end together it is the more telling one.
    func expiry(at now: Instant) -> Expiry? {
        guard now >= nextDeadline else { return nil }
        switch stage {
        case .connecting(let until) where until <= attemptUntil: return .connect
        case .waiting(let until) where until <= attemptUntil: return .firstByte
        default: return .attempt
        }
    }
}
