import JobKit
import JobStore

/// The bounds of the work for one page of a list.
enum ListBounds {
    /// The maximum number of jobs examined for one page beyond those that it shows. Where an index covers all filters
    /// every examined job is returned; where it does not, a page may be short, and the next one continues after the
    /// last job examined.
    static let passedOver = 1_000
    /// The maximum number of jobs examined for one part of a list of ids.
    static let idsExamined = 10_000
}

extension ReaderSession {
    func list(_ query: JobListQuery) throws(SQLiteFailure) -> JobPage {
        let limit = StoreRange.page(query.limit)
        let plan = try plan(for: query)
        let found = try pageStatement(plan.sql)
        plan.bind(to: found)
        defer { found.reset() }
        var page = JobPage(jobs: [], next: nil)
        var last: JobPage.Place?
        var (passedOver, bytes) = (0, 0)
        while try found.step() {
            let isShown = found.integer(3) != 0
            let isFull = page.jobs.count == limit || bytes >= query.bytesMax
            if isShown ? isFull : passedOver == ListBounds.passedOver {
                page.next = last
                return page
            }
            last = JobPage.Place(id: found.id(1), finishedAt: query.isByFinish ? found.time(2) : nil)
            if isShown {
                if let job = try job(number: found.integer(0)) {
                    page.jobs.append(job)
                    bytes += job.shownBytes
                }
            } else {
                passedOver += 1
            }
        }
        return page
    }

    func ids(_ query: JobListQuery) throws(SQLiteFailure) -> JobIDPage {
        let plan = try plan(for: query)
        let found = try pageStatement(plan.sql)
        plan.bind(to: found)
        defer { found.reset() }
        var part = JobIDPage(ids: [], next: nil)
        var last: JobPage.Place?
        var examined = 0
        while try found.step() {
            if examined == ListBounds.idsExamined {
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
        let needsTypes = leads.contains(.state) || leads.contains(.namePrefix) || leads.contains(.wait)
        let types = needsTypes ? try types() : []
        let waits = leads.contains(.wait) ? try waits(PageQuery.waitKind(of: query) ?? []) : []
        let names = leads.contains(.namePrefix) ? try names(from: query.namePrefix ?? "") : []
        let queues = leads.contains(.tenant) ? try queues(from: query.tenant?.prefix ?? "") : []
        let plans = leads.map { lead in
            guard lead == .namePrefix, let prefix = query.namePrefix else {
                return PageQuery(query, by: lead, types: types, queues: queues, waits: waits)
            }
            let named = types.filter { $0.utf8.starts(with: prefix.utf8) }
            return PageQuery(query, by: lead, types: named, names: names)
        }
        if plans.count > 1 {
            for plan in plans {
                let count = try pageStatement(plan.counting(upTo: ListBounds.passedOver / 2))
                plan.bind(to: count)
                defer { count.reset() }
                if try count.step(), count.integer(0) < ListBounds.passedOver / 2 { return plan }
            }
        }
        return plans[0]
    }

    /// The first names with a prefix that jobs have which are not named after their types.
    private func names(from prefix: String) throws(SQLiteFailure) -> [String] {
        let first = try pageStatement(
            "SELECT name FROM job INDEXED BY job_name WHERE name = ?1 AND name <> type LIMIT 1")
        first.bind(1, prefix)
        let isName = try first.step()
        first.reset()
        return try leap(
            """
            SELECT name FROM job INDEXED BY job_name \
            WHERE name > ?1 AND name < ?2 AND name <> type ORDER BY name LIMIT 1
            """, from: prefix, after: isName ? [prefix] : [])
    }

    /// The first queues with a prefix that jobs have.
    private func queues(from prefix: String) throws(SQLiteFailure) -> [String] {
        try leap(
            """
            SELECT queue FROM job INDEXED BY job_queue \
            WHERE queue > ?1 AND queue < ?2 AND queue <> 'default' ORDER BY queue LIMIT 1
            """, from: prefix)
    }

    /// The texts that a statement finds one after the other, each behind the last and before the end of the prefix.
    private func leap(
        _ sql: String, from prefix: String, after known: [String] = []
    ) throws(SQLiteFailure) -> [String] {
        let next = try pageStatement(sql)
        var found = known
        while found.count <= PageQuery.namesMax {
            next.bind(1, found.last ?? prefix)
            next.bind(2, prefix.behindAll)
            defer { next.reset() }
            guard try next.step() else { break }
            found.append(next.text(0))
        }
        return found
    }

    /// The sets of kinds of waits that jobs have and that contain `kind`.
    private func waits(_ kind: WaitKinds) throws(SQLiteFailure) -> [WaitKinds] {
        let next = try pageStatement(
            "SELECT wait_kinds FROM job INDEXED BY job_wait WHERE wait_kinds > ?1 ORDER BY wait_kinds LIMIT 1"
        )
        var all: [WaitKinds] = []
        var last = WaitKinds()
        while true {
            next.bind(1, last.rawValue)
            defer { next.reset() }
            guard try next.step() else { break }
            last = WaitKinds(rawValue: next.integer(0))
            all.append(last)
        }
        return all.filter { $0.contains(kind) }
    }

    func count(
        _ query: JobListQuery, by keys: [JobCount.Key], examinedMax: Int
    ) throws(SQLiteFailure) -> JobCount {
        let plan = try plan(for: query)
        let columns = keys.map { "job.\($0.rawValue)" }
        let statement = try pageStatement(plan.grouping(by: columns, upTo: examinedMax + 1))
        plan.bind(to: statement)
        defer { statement.reset() }
        var examined = 0
        var groups: [JobCount.Group] = []
        while try statement.step() {
            examined += Int(statement.integer(0))
            let count = Int(statement.integer(1))
            if count == 0 { continue }
            var values: [String] = []
            for (place, key) in keys.enumerated() {
                let column = Int32(place + 2)
                values.append(
                    key == .state
                        ? JobState(stored: statement.integer(column))?.rawValue ?? "" : statement.text(column)
                )
            }
            groups.append(JobCount.Group(values: values, count: count))
        }
        return JobCount(groups: groups, isLowerBound: examined > examinedMax)
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
