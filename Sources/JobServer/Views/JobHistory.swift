import JobJournal
import JobKit
import JobSpec
import JobStore

/// A job with its journal, read for display.
struct JobHistory: Sendable {
    /// The maximum number of entries that are folded into a view. Of a longer journal a part would be wrong: it would
    /// show work that has ended as if it had not begun.
    static let entriesMax = 100_000
    private static let entriesPerRead = 5_000

    let job: JobRecord
    let spec: JobSpec
    /// The members that were added to the job.
    let additions: [MemberAddition]
    private let fold: JournalFold
    /// The operations of the job, each group before its members, in the order of the spec.
    var operations: [OperationView] { fold.views(spec: spec, jobState: job.state) }

    init(_ id: JobID, from reader: any JobReads & JournalReads) throws(Problem) {
        let entries = try stored(JobHistory.entries(of: id, from: reader))
        guard let entries else { throw Self.tooLong(id) }
        guard let job = try stored(reader.job(id)), let bytes = try stored(reader.spec(id)) else {
            throw Problem(.notFound(id))
        }
        self.job = job
        fold = JournalFold(entries)
        additions = fold.additions
        spec = try Self.spec(of: job, bytes, adding: additions)
    }

    /// Whether the operation at a path, or an enclosing one, has ended.
    func isOver(_ path: [String]) -> Bool {
        // A path of a request may be long; those of operations are as deep as a spec may be.
        let deepest = fold.histories.keys.lazy.map(\.count).max() ?? 0
        return (0...min(path.count, deepest)).contains {
            fold.histories[Array(path.prefix($0))]?.ending != nil
        }
    }

    /// The calls of the job's operations, reconstructed.
    func callSites(_ connections: any ConnectionBook) -> [[String]: CallSite] {
        CallSite.all(
            of: spec, fold: fold, seed: job.id.description, submittedAt: job.createdAt,
            connections: connections)
    }

    /// The stored spec of a job with the members that were added.
    static func spec(
        of job: JobRecord, _ bytes: [UInt8], adding additions: [MemberAddition]
    ) throws(Problem) -> JobSpec {
        let read = JobSpecReader.readStored(bytes, adding: additions, now: job.createdAt)
        guard case .success(let spec) = read else {
            throw Problem(JobStoreError(.corrupt, "The stored spec of \(job.id) cannot be read."))
        }
        return spec
    }

    /// The entries of a job's journal; nil when there are more than `entriesMax`.
    static func entries(
        of id: JobID, from reader: any JournalReads
    ) throws(JobStoreError) -> [JournalEntry]? {
        var entries: [JournalEntry] = []
        var last: Int64 = 0
        while entries.count <= entriesMax {
            let page = try reader.journal(id, after: last, limit: entriesPerRead)
            entries += page.map(\.entry)
            guard page.count == entriesPerRead, let end = page.last else {
                return entries.count <= entriesMax ? entries : nil
            }
            last = end.sequence
        }
        return nil
    }

    /// The problem of a journal with more than `entriesMax` entries.
    static func tooLong(_ id: JobID) -> Problem {
        Problem(
            .historyTooLong,
            "The journal of \(id) has more than \(entriesMax) entries, and this would need them all at once. "
                + "…/events lists them page by page.")
    }
}
