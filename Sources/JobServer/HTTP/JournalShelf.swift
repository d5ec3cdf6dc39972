import JobKit
import JobStore
import Synchronization

/// The indexes of the long journals that were read last: who goes through the pages of a large job needs the same one
/// for each of them.
final class JournalShelf: Sendable {
    /// Shorter journals are looked through as fast as an index is found.
    private static let entriesMin: Int64 = 500
    /// How many entries all indexes together may have.
    private static let entriesMax: Int64 = 1_000_000
    private static let indexesMax = 32

    private let shelf = Mutex<[(id: JobID, index: JournalIndex)]>([])

    /// What is known of the journal of a job.
    func index(of id: JobID) -> JournalIndex {
        shelf.withLock { shelf in shelf.last { $0.id == id }?.index } ?? JournalIndex()
    }

    /// Keeps an index until others are in more demand.
    func keep(_ index: JournalIndex, of id: JobID) {
        guard index.last >= Self.entriesMin, index.last <= Self.entriesMax else { return }
        shelf.withLock { shelf in
            if let place = shelf.firstIndex(where: { $0.id == id }) {
                let known = shelf.remove(at: place)
                // Another reader may have come further.
                shelf.append(known.index.last > index.last ? known : (id, index))
            } else {
                shelf.append((id, index))
            }
            while shelf.count > Self.indexesMax || shelf.reduce(0, { $0 + $1.index.last }) > Self.entriesMax {
                shelf.removeFirst()
            }
        }
    }
}
