import CCurl
import EventIO
import HTTPMessage

// DESIGN
// A loop reads from all sockets that are ready before it does anything else, so that some fifty fast downloads would
// keep every other call waiting. A transfer therefore takes a piece of content and is then paused until its next turn;
// one has it in each turn of the loop. Short answers are taken as they come.
//
// Little content may become much when it is unpacked: it is unpacked in slices, and a piece that has become enough for
// one turn goes on in the next. libcurl keeps a piece as a whole and passes it again, so what was taken is counted.
//
// None has a turn under backpressure, that is, while the disk cannot keep up.

/// The turns of transfers with long content on one loop.
// Safe because every method is called on the loop only.
final class CurlPacer: @unchecked Sendable {
    /// The content that a transfer takes before its first wait.
    static let freeBytes = 64 << 10
    /// The content that it takes in one turn.
    static let pieceBytes = 256 << 10

    private let loop: EventLoop
    private let backpressure: (any Backpressure)?
    /// Paused transfers. One that was aborted meanwhile is paused no more, and is never used again.
    private var line: [CurlTransfer] = []
    private var isAsking = false

    init(_ settings: CurlSettings) {
        loop = settings.loop
        backpressure = settings.backpressure
    }

    /// Passes a piece of content as it arrived to a transfer, unless that has to wait for its next turn. Called by
    /// libcurl.
    /// - Returns: the answer to libcurl.
    func pass(_ piece: UnsafeRawBufferPointer, to transfer: CurlTransfer) -> Int {
        // With HTTP/2 the socket belongs to others, too.
        let mayWait = transfer.turns.isWatched || transfer.peerTLS?.speaksHTTP2 == true
        let room = mayWait ? transfer.turns.room : .max
        guard room > 0 else { return wait(transfer) }
        transfer.noteReceived()
        let (start, before) = (transfer.turns.taken, transfer.collector.contentCount)
        let end = unsafe transfer.takeCoded(piece, from: start, room: room)
        transfer.contentReceived += (end ?? piece.count) - start
        guard let end else { return 0 }
        transfer.turns.spend(max(end - start, transfer.collector.contentCount - before))
        transfer.turns.taken = end < piece.count ? end : 0
        return end < piece.count ? wait(transfer) : piece.count
    }

    private func wait(_ transfer: CurlTransfer) -> Int {
        transfer.turns.isPaused = true
        line.append(transfer)
        ask()
        return Int(CURL_WRITEFUNC_PAUSE)
    }

    private func ask() {
        guard !isAsking, !line.isEmpty else { return }
        isAsking = true
        let turn: @Sendable () -> Void = { [weak self] in self?.giveTurn() }
        guard let backpressure, backpressure.isOn else { return loop.execute(turn) }
        backpressure.whenOff { [loop] in loop.execute(turn) }
    }

    private func giveTurn() {
        isAsking = false
        var next: CurlTransfer?
        while next == nil, !line.isEmpty {
            let transfer = line.removeFirst()
            if transfer.turns.isPaused { next = transfer }
        }
        if let next { next.engine.resume(next) }
        ask()
    }
}

/// The turns of one transfer.
struct TransferTurns {
    /// The content that it may take before its next wait.
    private(set) var room = 0
    /// The bytes that were taken of the piece that waits.
    var taken = 0
    /// Whether it waits for a turn.
    var isPaused = false
    /// Whether libcurl has waited for its socket. Before that libcurl does not report the end of such a wait, and what
    /// arrives would be taken for input on an idle connection.
    var isWatched = false

    /// Begins a new request.
    mutating func begin() {
        room = CurlPacer.freeBytes
        taken = 0
        isPaused = false
        isWatched = false
    }

    /// Notes that content was taken.
    mutating func spend(_ bytes: Int) { room -= bytes }

    /// Begins a turn.
    mutating func resume() {
        room = CurlPacer.pieceBytes
        isPaused = false
    }
}
