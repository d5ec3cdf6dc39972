import CCurl
import EventIO
import HTTPMessage

// DESIGN
// A loop reads from all sockets that are ready before it does anything else, so that some fifty fast downloads would
// keep every other call waiting. A transfer therefore takes a piece of content and then waits in line for its next
// turn; some get one in each turn of the loop. Short answers are taken as they come.
//
// The line also stands while the brake is on: the content goes to a disk that cannot keep up.

/// The turns of transfers with long content on one loop.
// Safe because every method is called on the loop only.
final class CurlPacer: @unchecked Sendable {
    /// The content that a transfer takes before its first wait.
    static let freeBytes = 64 << 10
    /// The content that it takes in one turn.
    static let pieceBytes = 256 << 10
    /// The number of transfers that have a turn in one turn of the loop.
    private static let turnsAtOnce = 2

    private let loop: EventLoop
    private let brake: (any ContentBrake)?
    private var line: [(transfer: CurlTransfer, hold: Int)] = []
    private var head = 0
    private var isAsking = false

    init(_ settings: CurlSettings) {
        loop = settings.loop
        brake = settings.brake
    }

    /// Passes a piece of content as it arrived to a transfer, unless that has to wait for its next turn. Called by
    /// libcurl.
    /// - Returns: the answer to libcurl.
    func pass(_ piece: UnsafeRawBufferPointer, to transfer: CurlTransfer) -> Int {
        // With HTTP/2 the socket belongs to others, too.
        let mayWait = transfer.turns.isWatched || transfer.peerTLS?.speaksHTTP2 == true
        guard transfer.turns.room > 0 || !mayWait else {
            line.append((transfer, transfer.turns.hold()))
            ask()
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        transfer.noteReceived()
        let before = transfer.collector.contentCount
        guard unsafe transfer.takeCoded(piece) else { return 0 }
        transfer.turns.spend(max(piece.count, transfer.collector.contentCount - before))
        return piece.count
    }

    private func ask() {
        guard !isAsking, head < line.count else { return }
        isAsking = true
        let turn: @Sendable () -> Void = { [weak self] in self?.giveTurns() }
        guard let brake, brake.isOn else { return loop.execute(turn) }
        brake.whenOff { [loop] in loop.execute(turn) }
    }

    private func giveTurns() {
        isAsking = false
        var given = 0
        while given < Self.turnsAtOnce, head < line.count {
            let (transfer, hold) = line[head]
            head += 1
            if transfer.turns.isHeld(in: hold) {
                given += 1
                transfer.engine.letGo(transfer)
            }
        }
        if head == line.count {
            line.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 1_024 {
            line.removeFirst(head)
            head = 0
        }
        ask()
    }
}

/// The turns of one transfer.
struct TransferTurns {
    /// The content that it may take before its next wait.
    private(set) var room = 0
    /// Whether it waits for a turn.
    var isHeld = false
    /// Whether libcurl has waited for its socket. Before that it would not say that it waits no more, and what arrives
    /// would be taken for input on an idle connection.
    var isWatched = false
    private var holds = 0

    /// Begins a new request.
    mutating func begin() {
        room = CurlPacer.freeBytes
        isHeld = false
        isWatched = false
    }

    /// Notes that content was taken.
    mutating func spend(_ bytes: Int) { room -= bytes }

    /// Notes that it waits, and returns the number of this wait.
    mutating func hold() -> Int {
        isHeld = true
        holds += 1
        return holds
    }

    /// Whether it is still in this wait.
    func isHeld(in hold: Int) -> Bool { isHeld && holds == hold }

    /// Ends the wait.
    mutating func goOn() {
        isHeld = false
        room = CurlPacer.pieceBytes
    }
}
