import EventIO
import JobStore
import Synchronization

/// Wakes the streams of one loop together: soon after a change, and every five seconds.
///
/// The more work a round is, the longer is the pause before the next, so that streams take about a tenth of their loop.
final class StreamBell: Sendable {
    /// The shortest and the longest pause between a change and the round that reports it.
    static let pauses: ClosedRange<Duration> = .milliseconds(20)...(.seconds(5))

    /// The changes of a round, shared by the streams that are at the same position.
    struct Piece: Sendable {
        let from: UInt64
        let changes: [JobChange]
        /// Their text by filter.
        fileprivate var texts: [ChangeFilter: [UInt8]] = [:]

        init(from: UInt64, changes: [JobChange]) {
            self.from = from
            self.changes = changes
        }
    }

    private struct State {
        var waiters: [(stream: ObjectIdentifier, continuation: CheckedContinuation<Void, Never>)] = []
        var pulse: LoopTimer?
        var soon: LoopTimer?
        var pause = pauses.lowerBound
        var piece: Piece?
    }

    private let loop: EventLoop
    private let state = Mutex(State())
    private let isRung = Atomic(false)

    init(loop: EventLoop) { self.loop = loop }

    /// Wakes the streams after the pause. From any thread.
    func ring() {
        guard !isRung.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.execute { [self] in
            let (timer, pause) = state.withLock { ($0.soon, $0.pause) }
            guard let timer else { return isRung.store(false, ordering: .releasing) }
            timer.schedule(after: pause)
        }
    }

    /// Waits for the next round. On the loop.
    func wait(_ stream: ObjectIdentifier) async {
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiters.append((stream, continuation))
                return state.soon == nil
            }
            if isFirst { startTimers() }
        }
    }

    /// Wakes one stream at once, without a round. From any thread.
    func wake(_ stream: ObjectIdentifier) {
        loop.execute { [self] in
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.stream == stream }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume()
        }
    }

    /// The piece that begins at `number`, and its text for a filter. Each is made only when no other stream has had it
    /// made in this round.
    func piece(
        from number: UInt64, for filter: ChangeFilter, _ make: () -> [JobChange]?,
        text: (Piece) -> [UInt8]
    ) -> (piece: Piece, text: [UInt8])? {
        var piece = state.withLock { $0.piece }
        if piece?.from != number || piece?.changes.isEmpty ?? true {
            piece = make().map { Piece(from: number, changes: $0) }
        }
        guard var piece else { return nil }
        if let text = piece.texts[filter] { return (piece, text) }
        let made = text(piece)
        piece.texts[filter] = made
        state.withLock { $0.piece = piece }
        return (piece, made)
    }

    private func startTimers() {
        let pulse = LoopTimer(loop: loop) { [weak self] in self?.wake() }
        let soon = LoopTimer(loop: loop) { [weak self] in self?.wake() }
        pulse.schedule(every: .seconds(5))
        state.withLock { state in
            state.pulse = pulse
            state.soon = soon
        }
    }

    private func wake() {
        isRung.store(false, ordering: .releasing)
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            state.piece = nil
            return state.waiters
        }
        guard !waiters.isEmpty else { return }
        let start = ContinuousClock.now
        for waiter in waiters { waiter.continuation.resume() }
        // Two turns later all of them have written, and their sockets were flushed.
        loop.execute { [self] in
            loop.execute { [self] in
                let pause = start.duration(to: .now) * 9
                state.withLock { $0.pause = min(max(pause, Self.pauses.lowerBound), Self.pauses.upperBound) }
            }
        }
    }
}
