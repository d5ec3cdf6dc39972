import JobKit
import JobStore

/// Pages of jobs.
extension ReaderSession {
    /// The maximum number of jobs examined for one page beyond those that it shows. A page may be short, and the next
    /// one continues after the last job examined.
    static let passedOverMax = 1_000

    func list(_ query: JobListQuery) throws(PostgresFailure) -> JobPage {
        let limit = StoreRange.page(query.limit)
        let most = limit + Self.passedOverMax
        var page = PageQuery(query, schema: connection.address.schema, most: most)
        let rows = try connection.run(page.sql(), page.values)
        var shown: [JobID] = []
        var last: JobPage.Place?
        var next: JobPage.Place?
        for row in 0..<rows.count {
            let isShown = rows.integer(row, 2) != 0
            if isShown, shown.count == limit {
                next = last
                break
            }
            last = JobPage.Place(id: rows.id(row, 0), finishedAt: query.isByFinish ? rows.time(row, 1) : nil)
            if isShown { shown.append(rows.id(row, 0)) }
            if row + 1 == most { next = last }
        }
        var found: [JobID: JobRecord] = [:]
        for row in try tables.jobs.read(shown) { found[row.job.record.id] = row.job.record }
        return JobPage(jobs: shown.compactMap { found[$0] }, next: next)
    }
}
