import JobKit
import StrictJSON

/// A large report is written in pieces, so that others' writes come between.
extension RunUpdate {
    /// Bytes of results and notes that are written at once, if they are in several entries: 1 MiB.
    static let pieceBytesMax = 1 << 20

    /// About how many bytes it has to write.
    package var bytes: Int { journal.reduce(standing?.result?.body.count ?? 0) { $0 + $1.bytes } }

    /// Whether it has to be written in pieces.
    private var isLarge: Bool { journal.count > 1 && bytes > Self.pieceBytesMax }

    /// The part that is to be written first, and the rest, nil when there is none. Each beginning of a journal is one
    /// that a process may leave behind when it ends, so a run may go on from any of them. What takes effect at the end
    /// of the run is in the last piece.
    package var pieces: (first: RunUpdate, rest: RunUpdate?) {
        guard isLarge else { return (self, nil) }
        var count = 0
        var bytes = 0
        for entry in journal.dropLast() {
            bytes += entry.bytes
            if count > 0, bytes > Self.pieceBytesMax { break }
            count += 1
        }
        var first = RunUpdate(claim: claim, journal: Array(journal.prefix(count)))
        first.taken = taken
        var rest = self
        rest.journal.removeFirst(count)
        rest.taken = []
        return (first, rest)
    }
}

extension JournalEntry {
    /// About how many bytes it has to write.
    fileprivate var bytes: Int {
        switch event {
        case .finished(let ending): 256 + (ending.result?.body.count ?? 0)
        case .noted(_, let value):
            128 + (value.encodedCount(upTo: RunLimits.valueBytesMax) ?? RunLimits.valueBytesMax)
        default: 512
        }
    }
}
