/// The timeouts of one transfer, as a state machine: events go in, and `expiry` reports what is overdue.
struct CallClocks {
    /// The timeout that expired.
    enum Expiry: Hashable {
        case connect, firstByte, stall, attempt
    }

    private enum Stage {
        case connecting, sending, waiting, receiving
    }

    private let attemptUntil: Moment
    /// In nanoseconds, since they are used more than once.
    private let firstByteTimeout: Int64
    private let stallTimeout: Int64
    private var stage = Stage.connecting
    /// The deadline of the stage.
    private var stageUntil: Moment

    /// Creates clocks that start at `now`; the attempt's deadline is passed in, since one attempt may span several
    /// transfers.
    init(
        now: Moment, connectTimeout: Duration, firstByteTimeout: Duration, stallTimeout: Duration,
        attemptUntil: Moment
    ) {
        self.attemptUntil = attemptUntil
        self.firstByteTimeout = firstByteTimeout.wholeNanoseconds
        self.stallTimeout = stallTimeout.wholeNanoseconds
        stageUntil = now.advanced(by: connectTimeout)
    }

    /// The connection is established and the request begins to leave, or more of it left.
    mutating func sent(at now: Moment) {
        stage = .sending
        stageUntil = now.advanced(by: stallTimeout)
    }

    /// The last byte of the request left.
    mutating func finishedSending(at now: Moment) {
        guard stage == .sending else { return }
        waits(since: now)
    }

    /// An interim response arrived: the upstream is working, and the wait for its response begins again.
    mutating func waits(since now: Moment) {
        stage = .waiting
        stageUntil = now.advanced(by: firstByteTimeout)
    }

    /// Part of the response arrived.
    mutating func received(at now: Moment) {
        stage = .receiving
        stageUntil = now.advanced(by: stallTimeout)
    }

    /// The time of the next check if nothing happens until then.
    var nextDeadline: Moment { min(stageUntil, attemptUntil) }

    /// The timeout that expired first, if one has at `now`. Of two with the same deadline, the more specific one.
    func expiry(at now: Moment) -> Expiry? {
        guard now >= nextDeadline else { return nil }
        guard stageUntil <= attemptUntil else { return .attempt }
        switch stage {
        case .connecting: return .connect
        case .waiting: return .firstByte
        case .sending, .receiving: return .stall
        }
    }
}
