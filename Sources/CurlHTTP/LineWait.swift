import EventIO

/// The wait of one call in the client's line.
final class LineWait {
    let ticket: Int
    let began = Moment.now
    /// Ends the call with its attempt.
    private let timer: LoopTimer

    init(_ ticket: Int, ends deadline: Moment, on loop: EventLoop, expires: @escaping () -> Void) {
        self.ticket = ticket
        timer = LoopTimer(loop: loop, handler: expires)
        timer.schedule(after: deadline.since(.now))
    }
}
