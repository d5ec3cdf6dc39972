import JobKit
import JobStore

/// The sizes of the specs and journals of jobs that a claim may take, in bytes.
struct ClaimSizes {
    private var sizes: [JobID: Int] = [:]

    subscript(_ id: JobID) -> Int { sizes[id] ?? 0 }

    /// Measures jobs, in the order in which they are probably taken.
    /// - Parameters:
    ///   - isWhole: whether the claim takes no others, so that a single one needs no measure: it is taken anyway.
    ///   - size: the size of the spec of a job, and whether it has a journal.
    mutating func add(
        _ ids: [JobID], isWhole: Bool, _ request: ClaimRequest, _ journals: JournalTable,
        _ size: (JobID) -> (spec: Int, hasJournal: Bool)
    ) throws(PostgresFailure) {
        var resumed: [JobID] = []
        for id in ids {
            let size = size(id)
            sizes[id] = size.spec
            if size.hasJournal { resumed.append(id) }
        }
        if resumed.isEmpty || isWhole && ids.count == 1 { return }
        let measured = try journals.sizes(of: resumed, max: request.bytesMax)
        for (place, id) in resumed.enumerated() {
            sizes[id, default: 0] += place < measured.count ? measured[place] : request.bytesMax
        }
    }
}
