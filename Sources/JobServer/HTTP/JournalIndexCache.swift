import JobKit
import JobStore
import Synchronization

/// Caches the indexes of recently read long journals: a client that pages through a large job needs the same index for
/// each page.
final class JournalIndexCache: Sendable {
    /// Shorter journals are scanned as fast as an index is looked up.
    private static let entriesMin: Int64 = 500
    /// The maximum number of entries in all cached indexes together.
    private static let entriesMax: Int64 = 1_000_000
    private static let indexesMax = 32

    private let cache = Mutex<[(id: JobID, index: JournalIndex)]>([])

    /// The cached index of a job's journal, or an empty one.
    func index(of id: JobID) -> JournalIndex {
        cache.withLock { cache in cache.last { $0.id == id }?.index } ?? JournalIndex()
    }

    /// Caches an index, evicting the least recently used ones.
    func keep(_ index: JournalIndex, of id: JobID) {
        guard index.last >= Self.entriesMin, index.last <= Self.entriesMax, !index.mayShrink else { return }
        cache.withLock { cache in
            if let place = cache.firstIndex(where: { $0.id == id }) {
                let known = cache.remove(at: place)
                // Another reader may have indexed more of the journal.
                cache.append(known.index.last > index.last ? known : (id, index))
            } else {
                cache.append((id, index))
            }
            while cache.count > Self.indexesMax || cache.reduce(0, { $0 + $1.index.last }) > Self.entriesMax {
                cache.removeFirst()
            }
        }
    }
}
