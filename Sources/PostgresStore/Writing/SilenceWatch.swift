import JobStore
import StoreThreads

// DESIGN
// The writer waits in libpq, so another thread, which never talks to the database, answers for it. It alone tells the
// board of silence, in both directions, so that what is told last is what holds.

/// The thread that answers requests while the database is silent.
final class SilenceWatch: Sendable {
    private let queue: CommandQueue
    private let board: PostgresBoard
    /// Never rung.
    private let bell = Bell()
    private static let everyMilliseconds = 100

    init(queue: CommandQueue, board: PostgresBoard) {
        self.queue = queue
        self.board = board
    }

    /// The body of the thread. It ends after the writer.
    func run() {
        var isTold = false
        while !board.hasEnded {
            bell.wait(milliseconds: Self.everyMilliseconds)
            queue.lapse(at: .now)
            let silence = queue.silence
            guard (silence != nil) != isTold else { continue }
            isTold = silence != nil
            let detail = silence?.storeError(doing: "Storing a change failed").detail
            board.note(silence: detail.map { .failing($0) })
        }
    }
}
