package import JobKit

/// Takes everything in one store along into another. The content of artifacts lies beside both and is not part of it.
package struct StoreCopy {
    /// The state of one part.
    package struct Progress: Sendable {
        /// The part for people.
        package var part: String
        package var done: Int
        /// The whole; nil when unknown.
        package var total: Int?
    }

    /// The numbers of what was copied.
    package struct Summary: Sendable {
        package var jobs = 0
        /// Rows by table.
        package var rows: [String: Int] = [:]
    }

    private let source: any CopySource
    private let target: any CopyTarget
    private let now: Timestamp
    private let tell: (Progress) -> Void
    package private(set) var summary = Summary()

    /// - Parameters:
    ///   - now: the time at which jobs in line for an exclusive key are woken, where the target has new lines.
    ///   - tell: called often, with how far the copy is.
    package init(
        from source: any CopySource, to target: any CopyTarget, now: Timestamp,
        tell: @escaping (Progress) -> Void
    ) {
        self.source = source
        self.target = target
        self.now = now
        self.tell = tell
    }

    /// Copies jobs and tables.
    /// - Parameter anew: whether to remove what a copy left that was interrupted.
    package mutating func run(anew: Bool) throws(JobStoreError) {
        let total = try source.jobCount()
        try target.begin(anew: anew)
        try copyJobs(total)
        for table in StoredTable.all { try copy(table) }
    }

    private mutating func copyJobs(_ total: Int) throws(JobStoreError) {
        try source.beginJobs()
        while true {
            var jobs = try source.nextJobs()
            if jobs.isEmpty { break }
            if target.keepsKeyLines {
                // Their places are in the memory of the server that stopped: they ask for the keys anew.
                for index in jobs.indices where jobs[index].waitsForKey { jobs[index].job.wake(at: now) }
            }
            try target.add(jobs)
            summary.jobs += jobs.count
            tell(Progress(part: "jobs", done: summary.jobs, total: total))
        }
    }

    private mutating func copy(_ table: StoredTable) throws(JobStoreError) {
        var count = 0
        try source.begin(table)
        while true {
            let rows = try source.nextRows()
            if rows.isEmpty { break }
            try target.add(rows, to: table)
            count += rows.count
            tell(Progress(part: "rows of \(table.name)", done: count, total: nil))
        }
        summary.rows[table.name] = count
    }

    /// Compares what is stored with what was read, and lets servers open the copy.
    package func finish() throws(JobStoreError) {
        try check("jobs", read: summary.jobs, stored: target.jobCount())
        for table in StoredTable.all {
            try check(
                "rows of \(table.name)", read: summary.rows[table.name] ?? 0, stored: target.count(of: table))
        }
        try source.end()
        try target.finish()
    }

    private func check(_ part: String, read: Int, stored: Int) throws(JobStoreError) {
        if read == stored { return }
        throw JobStoreError(
            .unavailable,
            "The copy has \(stored) \(part) and not \(read). Copy again with --restart; something else writes there."
        )
    }
}

/// Items that are read and written at once, bounded by their number and their bytes.
package struct CopyBatch<Item> {
    package private(set) var items: [Item] = []
    private var bytes = 0

    package init() {}

    package var isFull: Bool { items.count >= 500 || bytes >= 4 << 20 }

    private mutating func add(_ item: Item, bytes count: Int) {
        items.append(item)
        bytes += count
    }
}

extension CopyBatch<CopiedJob> {
    package mutating func add(_ job: CopiedJob) { add(job, bytes: job.byteCount) }
}

extension CopyBatch<[StoredValue]> {
    package mutating func add(_ row: [StoredValue]) { add(row, bytes: row.reduce(0) { $0 + $1.byteCount }) }
}
