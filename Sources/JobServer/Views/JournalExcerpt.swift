import JobJournal
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// Reads what decides about single operations of a job: the journal of each, of those that enclose it, and of the job
/// itself. It takes the same for a job of a million operations as for a small one, also after a retry.
struct JournalExcerpt: Sendable {
    let job: JobRecord
    /// The spec, with the members that were added.
    private let spec: JobSpec
    private let index: JournalIndex
    private let reader: any JobReader

    /// Nil when there is no such job.
    init?(of id: JobID, from reader: any JobReader, _ cache: JournalIndexCache) throws(Problem) {
        guard let job = try stored(reader.job(id)), let bytes = try stored(reader.spec(id)) else {
            return nil
        }
        index = try stored(reader.index(id, from: cache.index(of: id)))
        cache.keep(index, of: id)
        let root = try stored(reader.journal(id, at: index.entries(of: [.root]))).map(\.entry)
        spec = try JobHistory.spec(of: job, bytes, adding: JournalFold(root).additions)
        self.job = job
        self.reader = reader
    }

    /// The operation at a path, whether or not it has begun; nil when the spec has none.
    func operation(at path: [String]) -> OperationSpec? {
        var operation = spec.operation
        for step in path {
            if let member = operation.members.first(where: { $0.name.hasSameBytes(as: step) }) {
                operation = member
            } else if let copied = operation.copied, let number = Int(step), number >= 1 {
                operation = copied
            } else {
                return nil
            }
        }
        return operation
    }

    /// The journal of the job, of these operations, and of those that enclose them.
    func fold(of paths: [[String]]) throws(Problem) -> JournalFold {
        let places = paths.flatMap { path in
            (0...path.count).map { OperationPlace(path.prefix($0)) }
        }
        let entries = index.entries(of: Set(places))
        var fold = JournalFold(try stored(reader.journal(job.id, at: entries)).map(\.entry))
        // Which of them begin anew follows from those that enclose them.
        if index.isRetried { fold.beginAnew(in: spec.operation) }
        return fold
    }
}
