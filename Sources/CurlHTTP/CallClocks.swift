/// The clocks of one transfer, as a value: the client tells it what happened and asks what is overdue.
struct CallClocks {
    /// The clock that ran out.
    enum Expiry: Hashable {
        case connect, firstByte, stall, attempt
    }

    private enum Stage {
        case connecting, sending, waiting, receiving
    }

    private let attemptUntil: Moment
    /// In nanoseconds, as they are used more than once.
    private let firstByteTimeout: Int64
    private let stallTimeout: Int64
    private var stage = Stage.connecting
    /// When the stage has taken too long.
    private var stageUntil: Moment

    /// Clocks that start at `now`; the attempt's end is given, because one attempt may span several transfers.
    init(
        now: Moment, connectTimeout: Duration, firstByteTimeout: Duration, stallTimeout: Duration,
        attemptUntil: Moment
    ) {
        self.attemptUntil = attemptUntil
        self.firstByteTimeout = firstByteTimeout.wholeNanoseconds
        self.stallTimeout = stallTimeout.wholeNanoseconds
        stageUntil = now.advanced(by: connectTimeout)
    }

    /// The connection stands and the request begins to leave, or more of it left.
    mutating func sent(at now: Moment) {
        stage = .sending
        stageUntil = now.advanced(by: stallTimeout)
    }

    /// The last byte of the request left.
    mutating func finishedSending(at now: Moment) {
        guard stage == .sending else { return }
        waits(since: now)
    }

    /// An interim answer arrived: the upstream is at work, and the answer is waited for anew.
    mutating func waits(since now: Moment) {
        stage = .waiting
        stageUntil = now.advanced(by: firstByteTimeout)
    }

    /// Something of the answer arrived.
    mutating func received(at now: Moment) {
        stage = .receiving
        stageUntil = now.advanced(by: stallTimeout)
    }

    /// When somebody has to look at these clocks again, if nothing happens until then.
    var nextDeadline: Moment { min(stageUntil, attemptUntil) }

    /// The clock that ran out first, if one has at `now`. Of two that end together it is the more telling one.
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
