import JobJournal
import JobKit
import StrictJSON

/// Splits a large update, so that other writes come between.
extension RunUpdate {
    /// The maximum size of the results and entries of one piece, if they are in several entries: 256 KiB.
    static let pieceBytesMax = 256 << 10

    /// The approximate size of the update.
    package var bytes: Int {
        var bytes = standingBytes + (summary?.entries.reduce(0) { $0 + $1.bytes } ?? 0)
        // By their places, which copies none.
        for place in journal.indices { bytes += journal[place].bytes }
        return bytes
    }

    /// Whether the update has to be split.
    private var isLarge: Bool { journal.count > 1 && bytes > Self.pieceBytesMax }

    /// The first piece, and the rest; nil when there is none. Each prefix of a journal is one that a crash may leave,
    /// so a run can resume from any of them. The new state and its effects are in the last piece.
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
        // A key that passes from one operation to the next: released later, it would be taken from the new holder.
        let passedOn = Set(taken.map(\.key)).intersection(freed)
        first.freed = freed.filter(passedOn.contains)
        var rest = self
        rest.journal.removeFirst(count)
        rest.taken = []
        rest.freed.removeAll(where: passedOn.contains)
        return (first, rest)
    }
}

extension JobMessage {
    /// The approximate size of the message.
    fileprivate var bytes: Int {
        switch content {
        case .signal(_, let value), .member(_, let value):
            512 + (value.encodedCount(upTo: RunLimits.valueBytesMax) ?? RunLimits.valueBytesMax)
        // In base 64.
        case .content, .report: 512 + size + size / 3
        case .approval, .hold, .release: 512
        }
    }
}

extension JournalEntry {
    /// The approximate size of the entry.
    package var bytes: Int {
        switch event {
        case .finished(let ending):
            256 + (ending.result?.body.count ?? 0) + ending.errors.reduce(0) { $0 + $1.byteCount }
        case .attemptFinished(let record): 512 + (record.error?.byteCount ?? 0)
        case .noted(_, let value):
            128 + (value.encodedCount(upTo: RunLimits.valueBytesMax) ?? RunLimits.valueBytesMax)
        case .message(let message): message.bytes
        default: 512
        }
    }
}
