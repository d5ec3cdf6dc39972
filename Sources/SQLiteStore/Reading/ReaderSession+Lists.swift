import JobStore

/// Pages of jobs.
extension ReaderSession {
    /// The maximum number of jobs examined for one page beyond those that it shows. Where an index covers all filters
    /// every examined job is returned; where it does not, a page may be short, and the next one continues after the
    /// last job examined.
    static let passedOverMax = 1_000

    func list(_ query: JobListQuery) throws(SQLiteFailure) -> JobPage {
        let limit = StoreRange.page(query.limit)
        let plan = try plan(for: query)
        let found = try pageStatement(plan.sql)
        plan.bind(to: found)
        defer { found.reset() }
        var page = JobPage(jobs: [], next: nil)
        var last: JobPage.Place?
        var passedOver = 0
        while try found.step() {
            let isShown = found.integer(3) != 0
            if isShown ? page.jobs.count == limit : passedOver == Self.passedOverMax {
                page.next = last
                return page
            }
            last = JobPage.Place(id: found.id(1), finishedAt: query.isByFinish ? found.time(2) : nil)
            if isShown {
                if let job = try job(number: found.integer(0)) { page.jobs.append(job) }
            } else {
                passedOver += 1
            }
        }
        return page
    }

    /// The maximum number of jobs examined for one part of a list of ids.
    private static let idsExaminedMax = 10_000

    func ids(_ query: JobListQuery) throws(SQLiteFailure) -> JobIDPage {
        let plan = try plan(for: query)
        let found = try pageStatement(plan.sql)
        plan.bind(to: found)
        defer { found.reset() }
        var part = JobIDPage(ids: [], next: nil)
        var last: JobPage.Place?
        var examined = 0
        while try found.step() {
            if examined == Self.idsExaminedMax {
                part.next = last
                return part
            }
            examined += 1
            last = JobPage.Place(id: found.id(1), finishedAt: query.isByFinish ? found.time(2) : nil)
            if found.integer(3) != 0 { part.ids.append(found.id(1)) }
        }
        return part
    }

    /// The query plan: leads with the first filter that few jobs pass, or else with the first of all.
    private func plan(for query: JobListQuery) throws(SQLiteFailure) -> PageQuery {
        let leads = PageQuery.leads(for: query)
        let types = leads.contains(.state) ? try types() : []
        let plans = leads.map { PageQuery(query, by: $0, types: types) }
        if plans.count > 1 {
            for plan in plans {
                let count = try pageStatement(plan.counting(upTo: Self.passedOverMax / 2))
                plan.bind(to: count)
                defer { count.reset() }
                if try count.step(), count.integer(0) < Self.passedOverMax / 2 { return plan }
            }
        }
        return plans[0]
    }

    /// All types that jobs have.
    private func types() throws(SQLiteFailure) -> [String] {
        let rows = try pageStatement("\(DispatchQueries.leap) SELECT type FROM leap WHERE type IS NOT NULL")
        defer { rows.reset() }
        var types: [String] = []
        while try rows.step() { types.append(rows.text(0)) }
        return types
    }
}
