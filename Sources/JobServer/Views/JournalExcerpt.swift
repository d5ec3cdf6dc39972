import JobJournal
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// Reads what decides about single operations of a job: the journal of each, of those that enclose it, and of the job
/// itself, without the messages to it. It takes the same for a job of a million operations or with thousands of reports
/// as for a small one, also after a retry.
struct JournalExcerpt: Sendable {
    let job: JobRecord
    /// The spec, with the members that were added.
    private let spec: JobSpec
    private let index: JournalIndex
    private let reader: any JobReader
    /// The entries that were read so far, in order.
    private var entries: [NumberedEntry]

    /// Nil when there is no such job.
    init?(of id: JobID, from reader: any JobReader, _ cache: JournalIndexCache) throws(Problem) {
        guard let job = try stored(reader.job(id)), let bytes = try stored(reader.spec(id)) else {
            return nil
        }
        index = try stored(reader.index(id, from: cache.index(of: id)))
        cache.keep(index, of: id)
        let root = index.entries(of: [.root]).filter { [index] in !index.messages.contains($0) }
        entries = try stored(reader.journal(id, at: root))
        spec = try JobHistory.spec(of: job, bytes, adding: JournalFold(entries.map(\.entry)).additions)
        self.job = job
        self.reader = reader
    }

    /// The operation at a path, whether or not it has begun; nil when the spec has none.
    func operation(at path: [String]) -> OperationSpec? { spec.operation.inner(at: path) }

    /// The journal of the job, of an operation and those that enclose it, and what was read before.
    mutating func fold(of path: [String]) throws(Problem) -> JournalFold {
        let places = (0...path.count).map { OperationPlace(path.prefix($0)) }
        let known = Set(entries.map(\.sequence)).union(index.messages)
        let missing = index.entries(of: Set(places)).filter { !known.contains($0) }
        if !missing.isEmpty {
            entries += try stored(reader.journal(job.id, at: missing))
            entries.sort { $0.sequence < $1.sequence }
        }
        var fold = JournalFold(entries.map(\.entry))
        // Which of them begin anew follows from those that enclose them.
        if index.isRetried { fold.beginAnew(in: spec.operation) }
        return fold
    }
}
