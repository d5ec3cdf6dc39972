import CEvent
import Glibc
import HTTPMessage

// DESIGN
// A connection wakes when its socket has news (edge-triggered: one event per news, no system call to change what is
// waited for), when an answer comes back from elsewhere, and when the listener's tick finds one of its clocks run out.
// It reads into the buffer that all connections of the loop share, parses in place, and hands whole requests to the
// service; their answers are gathered and leave in one write at the end of the turn, in the order of the requests.
//
// It stops reading while too many requests are unanswered or too many bytes of answers wait, and goes on when that
// has passed. It ends by one of three ways: `abort` (socket gone or of no use), the end of the idle time, or after the
// last answer: then it ends its sending side and reads what still comes for a moment, so that the answer is not
// destroyed by a reset (RFC 9112 §9.6).

/// One HTTP/1.1 connection of a listener.
// Safe because it lives on the loop of its listener; nothing but that loop's thread touches it.
final class HTTPConnection: TurnFinisher, @unchecked Sendable {
    /// Who accepted it.
    let listener: HTTPListener
    /// The peer.
    let peer: PeerAddress
    /// Its place in the listener's list.
    let slot: Int

    /// What can still happen.
    enum State {
        /// Requests and answers.
        case open
        /// All answers have been sent and our side has ended; waits for the client's end.
        case lingering
        /// The socket is closed.
        case closed
    }

    var state = State.open
    let socket: ConnectionSocket
    private var event: LoopEvent?
    var clocks: ConnectionClocks

    // Reading
    var parser: HTTPRequestParser
    /// What was read but not parsed, because reading paused.
    var carry: [UInt8] = []
    /// The socket may hold bytes that were not read.
    var mayHaveMore = false
    /// The system has said that the client has ended its sending side; it says so once. From then on a short read
    /// does not mean that nothing is left: the end itself is.
    var isEndNear = false
    /// The client's end has been read.
    var hasPeerEnded = false
    /// No further request will be read.
    var isReadingOver = false
    /// The request whose body is being read.
    var incoming: IncomingRequest?
    /// Requests read so far, and those of them that were read before this turn.
    var requestCount = 0
    var requestCountBefore = 0
    /// A `100 Continue` is to be sent as soon as the earlier answers have left.
    var owesContinue = false
    /// Bytes read while lingering.
    var drainedBytes = 0

    // Answering
    var pending = PendingAnswers()
    var output = OutputQueue()
    var stream: AnswerStream?
    /// Whether reading was paused and is to be taken up again.
    var isReadingPaused = false
    private var isTurnAsked = false
    private var isInTurn = false

    init(listener: HTTPListener, socket: ConnectionSocket, peer: PeerAddress, slot: Int) {
        self.listener = listener
        self.socket = socket
        self.peer = peer
        self.slot = slot
        clocks = ConnectionClocks(now: listener.now)
        parser = HTTPRequestParser(limits: listener.parserLimits)
    }

    // MARK: Life

    /// Begins.
    ///
    /// - Parameter refusal: why it is not served: answers that and closes.
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

    /// Cuts the connection now. Requests without an answer are told so.
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
        // Last: whoever waits for the end of all connections goes on with this.
        listener.remove(self)
    }

    /// Ends the connection when nothing is under way on it; else it ends after the answers that it owes.
    func closeIfIdle() {
        if state == .open, isQuiet { closeNow() }
    }

    /// Says good-bye and closes; nobody waits for anything.
    private func closeNow() {
        socket.endWriting()
        abort()
    }

    /// Whether no request, part of one, or answer is under way.
    var isQuiet: Bool {
        pending.isEmpty && stream == nil && output.isEmpty && carry.isEmpty && incoming == nil
            && (clocks.phase == .idle || clocks.phase == .opening)
    }

    /// Looks at the clocks. Called on the listener's tick.
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
    /// A reset that came together with bytes is news of its own kind only to who reads behind those bytes: libevent
    /// reports EPOLLERR as readable and writable, once. Sending finds it, too, so it is asked for only when there is
    /// nothing to send.
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

    /// Sees to it that what was added to the output leaves at the end of this turn.
    func wantFlush() {
        guard !isInTurn && !isTurnAsked else { return }
        isTurnAsked = true
        listener.loop.finishTurn(self)
    }

    /// Sends what waits. Called by the loop.
    func finishTurn() {
        isTurnAsked = false
        flush()
    }

    /// Takes up reading again in the loop's next turn, where it is a fresh start for everybody.
    func readLater() {
        listener.loop.execute { [self] in
            guard state != .closed else { return }
            takeTurn(reads: true)
        }
    }

    /// Whether the socket has an error waiting. Asked when neither reading nor sending would find it.
    private var isSocketBroken: Bool {
        var number: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        let status = unsafe getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &number, &length)
        return status != 0 || number != 0
    }
}
