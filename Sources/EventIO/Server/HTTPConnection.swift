import CEvent
import Glibc
import HTTPMessage

// DESIGN
// A connection wakes when its socket changes (edge-triggered: one event per change, no system call to change the
// interest), when an answer comes back from elsewhere, and when the listener's tick finds a timeout expired. It reads
// into the buffer that all connections of the loop share, parses in place, and hands whole requests to the service;
// their answers are gathered and leave in one write at the end of the turn, in the order of the requests.
//
// It stops reading while too many requests are unanswered or too many bytes of answers wait, and resumes when that has
// passed. It ends in one of three ways: `abort` (socket closed or broken), the end of the idle time, or after the last
// answer: then it shuts down its sending side and reads what still arrives for a moment, so that the answer is not
// destroyed by a reset (RFC 9112 §9.6).

/// One HTTP/1.1 connection of a listener.
// Safe because it lives on the loop of its listener and is touched on that loop's thread only.
final class HTTPConnection: TurnFinisher, @unchecked Sendable {
    let listener: HTTPListener
    let peer: PeerAddress
    /// Whether the client may fill only a part of the memory for bodies.
    let hasBodyShare: Bool
    /// The index in the listener's list.
    let slot: Int

    /// The state of the connection.
    enum State {
        /// Requests and answers flow.
        case open
        /// All answers were sent and the sending side is shut down; waits for the client's close.
        case lingering
        case closed
    }

    var state = State.open
    let socket: ConnectionSocket
    private var event: LoopEvent?
    var clocks: ConnectionClocks

    // Reading
    var parser: HTTPRequestParser
    /// Input that was read but not parsed, because reading paused.
    var carry: [UInt8] = []
    /// Whether the socket may hold unread bytes.
    var mayHaveMore = false
    /// Whether the system has reported, which it does once, that the client has shut down its sending side. From then
    /// on a short read does not mean that nothing is left: the end itself is.
    var isEndNear = false
    /// Whether the client's end has been read.
    var hasPeerEnded = false
    /// Whether no further request will be read.
    var isReadingOver = false
    /// The request whose body is being read.
    var incoming: IncomingRequest?
    /// The requests read so far, and those read before this turn.
    var requestCount = 0
    var requestCountBefore = 0
    /// Whether a `100 Continue` is due as soon as the earlier answers have left.
    var owesContinue = false
    /// Bytes read while lingering.
    var drainedBytes = 0

    // Answering
    var pending = PendingAnswers()
    var output = OutputQueue()
    var stream: AnswerStream?
    /// Whether reading was paused and has to be resumed.
    var isReadingPaused = false
    private var isTurnAsked = false
    private var isInTurn = false

    init(listener: HTTPListener, socket: ConnectionSocket, peer: PeerAddress, slot: Int) {
        self.listener = listener
        self.socket = socket
        self.peer = peer
        hasBodyShare = listener.census.isLimited(peer.address)
        self.slot = slot
        clocks = ConnectionClocks(now: listener.now)
        parser = HTTPRequestParser(limits: listener.parserLimits)
    }

    // MARK: Life

    /// Starts the connection.
    ///
    /// - Parameter refusal: the reason not to serve it, which is answered before a close.
    func open(refusal: ListenerRefusal?) {
        let flags = EV_READ | EV_WRITE | EV_CLOSED | EV_ET | EV_PERSIST
        let event = LoopEvent(loop: listener.loop, descriptor: socket.descriptor, flags: flags) {
            [unowned self] what in
            socketHasNews(what)
        }
        event.add()
        self.event = event
        if let refusal { refuse(refusal) }
    }

    /// Closes the connection now and abandons unanswered requests.
    func abort() {
        guard state != .closed else { return }
        state = .closed
        isReadingOver = true
        event = nil
        close(socket.descriptor)
        output.removeAll()
        carry = []
        let abandoned = pending.removeAll()
        stream?.cancel()
        stream = nil
        takeIncoming()
        for item in abandoned {
            item.exchange?.abandon()
            item.response?.body.cancel()
        }
        // Last, since it may resume a task that waits for the end of all connections.
        listener.remove(self)
    }

    /// Closes the connection when it is idle; otherwise it closes after the answers due.
    func closeIfIdle() {
        if state == .open, isQuiet { closeNow() }
    }

    /// Shuts down and closes an idle connection.
    private func closeNow() {
        socket.endWriting()
        abort()
    }

    /// Whether no request, part of one, or answer is in progress.
    var isQuiet: Bool {
        pending.isEmpty && stream == nil && output.isEmpty && carry.isEmpty && incoming == nil
            && (clocks.phase == .idle || clocks.phase == .opening)
    }

    /// Checks the timeouts. Called on the listener's tick.
    func checkClocks() {
        if clocks.awaitsReader { clocks.countUntaken(socket.untakenBytes, now: listener.now) }
        switch clocks.check(
            now: listener.now, limits: listener.limits, isOwed: !pending.isEmpty || stream != nil)
        {
        case .fine: break
        case .cut: abort()
        case .close: closeNow()
        case .requestTooSlow:
            guard !isReadingOver && !isReadingPaused else { return }
            refuse(.tooSlow)
            finishTurn()
        }
    }

    // MARK: Turns

    private func socketHasNews(_ what: CShort) {
        if what & CShort(EV_CLOSED) != 0 { isEndNear = true }
        if what & CShort(EV_READ) != 0 || isEndNear { mayHaveMore = true }
        if isReadingPaused || isReadingOver, state == .open, isSocketBroken {
            abort()
            return
        }
        let isHeldBack = isReadingPaused && isFull
        takeTurn(reads: !isHeldBack && (mayHaveMore || socket.tls != nil))
    }

    /// Reads, answers and sends.
    ///
    /// A reset that arrives together with bytes is visible only after those bytes have been read: libevent reports
    /// EPOLLERR as readable and writable, once. Sending finds it, too, so it is checked only when there is nothing to
    /// send.
    private func takeTurn(reads: Bool) {
        isInTurn = true
        if reads { read() }
        isInTurn = false
        if reads, state == .open, output.isEmpty, !mayHaveMore, isSocketBroken {
            abort()
        } else {
            flush()
        }
    }

    /// Schedules a send of the output at the end of this turn.
    func wantFlush() {
        guard !isInTurn && !isTurnAsked else { return }
        isTurnAsked = true
        listener.loop.finishTurn(self)
    }

    /// Sends the output. Called by the loop.
    func finishTurn() {
        isTurnAsked = false
        flush()
    }

    /// Resumes reading in the loop's next turn, after the other connections.
    func readLater() {
        listener.loop.execute { [self] in
            guard state != .closed else { return }
            takeTurn(reads: true)
        }
    }

    /// Whether the socket has a pending error, or its client has gone. Needed when neither reading nor sending would
    /// find it.
    private var isSocketBroken: Bool {
        var number: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        let status = unsafe getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &number, &length)
        return status != 0 || number != 0 || hasPeerEnded && socket.isHungUp
    }
}
