/// The timeouts of one connection, in monotonic nanoseconds of the listener's tick.
struct ConnectionClocks {
    /// The input that a connection waits for from its client.
    enum Phase {
        /// The first byte of the first request; also the TLS handshake.
        case opening
        /// The next request, or only time: requests are being answered.
        case idle
        /// The rest of a request head.
        case head
        /// The rest of a request body.
        case body
        /// The client's close.
        case linger
    }

    /// The action that a check demands.
    enum Verdict {
        case fine
        /// Answer 408 and close.
        case requestTooSlow
        /// Close without an answer, since no request is open.
        case close
        /// Reset the connection.
        case cut
    }

    private(set) var phase = Phase.opening
    private var start: Int64
    /// Body bytes since `start`, where a window of `bodyTime` began, and the time of the last of them.
    private var bodyBytes = 0
    private var bodyProgress: Int64 = 0
    /// The time since which unsent answers wait; nil when there are none.
    private var outputStart: Int64?
    private var outputProgress: Int64 = 0
    private var outputBytes = 0
    private var untakenBytes = 0

    init(now: Int64) {
        start = now
    }

    /// Begins to wait for something else.
    mutating func enter(_ phase: Phase, now: Int64) {
        self.phase = phase
        start = now
        bodyBytes = 0
        bodyProgress = now
    }

    /// Counts received body bytes.
    mutating func countBody(_ bytes: Int, now: Int64) {
        bodyBytes += bytes
        bodyProgress = now
    }

    /// Counts sent bytes of answers, and those still waiting.
    mutating func countOutput(sent: Int, waiting: Int, now: Int64) {
        guard waiting > 0 else {
            outputStart = nil
            return
        }
        if outputStart == nil {
            outputStart = now
            outputProgress = now
            outputBytes = 0
            untakenBytes = 0
        }
        guard sent > 0 else { return }
        outputProgress = now
        outputBytes += sent
    }

    /// Whether answers wait until the client has read some of what was sent.
    var awaitsReader: Bool { outputStart != nil }

    /// Records the sent bytes that the client's system has not acknowledged. Fewer than before is progress: the local
    /// send buffer holds megabytes, and becomes writable again only when a good part of them has left.
    mutating func countUntaken(_ bytes: Int, now: Int64) {
        if bytes < untakenBytes { outputProgress = now }
        untakenBytes = bytes
    }

    /// Checks all timeouts.
    ///
    /// The rate of a body is that of each window, not the mean since the head: a fast beginning would pay for hours in
    /// which a body holds memory that all share.
    ///
    /// - Parameter isOwed: whether the client waits for an answer.
    mutating func check(now: Int64, limits: ListenerLimits, isOwed: Bool) -> Verdict {
        if let outputStart {
            let isStalled = now - outputProgress > limits.answerTime.nanoseconds
            let elapsed = now - outputStart
            let isSlow = ConnectionClocks.isSlow(
                bytes: outputBytes, in: elapsed, after: limits.answerTime,
                rate: limits.answerBytesPerSecondMin)
            return isStalled || isSlow ? .cut : .fine
        }
        let elapsed = now - start
        switch phase {
        case .opening: return elapsed > limits.headTime.nanoseconds ? .close : .fine
        case .idle: return !isOwed && elapsed > limits.idleTime.nanoseconds ? .close : .fine
        case .head: return elapsed > limits.headTime.nanoseconds ? .requestTooSlow : .fine
        case .body:
            let isSlow = ConnectionClocks.isSlow(
                bytes: bodyBytes, in: elapsed, after: limits.bodyTime, rate: limits.bodyBytesPerSecondMin)
            let isStalled = now - bodyProgress > limits.bodyTime.nanoseconds
            if isStalled || isSlow { return .requestTooSlow }
            if elapsed > limits.bodyTime.nanoseconds {
                start = now
                bodyBytes = 0
            }
            return .fine
        case .linger: return elapsed > limits.lingerTime.nanoseconds ? .cut : .fine
        }
    }

    private static func isSlow(bytes: Int, in elapsed: Int64, after limit: Duration, rate: Int) -> Bool {
        guard elapsed > limit.nanoseconds else { return false }
        return Double(bytes) < Double(rate) * Double(elapsed) / 1e9
    }
}

extension Duration {
    /// Whole nanoseconds, clamped to 64 bits.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow
            ? (seconds < 0 ? .min : .max) : product.addingReportingOverflow(attoseconds / 1_000_000_000).0
    }
}
