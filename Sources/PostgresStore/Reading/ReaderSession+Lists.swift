import JobKit
import JobStore

extension ReaderSession {
    /// The maximum number of jobs examined for one page beyond those that it shows. A page may be short, and the next
    /// one continues after the last job examined.
    static let passedOverMax = 1_000

    func list(_ query: JobListQuery) throws(PostgresFailure) -> JobPage {
        let limit = StoreRange.page(query.limit)
        let most = limit + Self.passedOverMax
        var page = try plan(for: query, most: most)
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
        // Usually all at once.
        var (jobs, bytes, left) = ([JobRecord](), 0, shown[...])
        while !left.isEmpty {
            let part = Array(left.prefix(Self.jobsAtOnce))
            var found: [JobID: JobRecord] = [:]
            for row in try tables.jobs.read(part) { found[row.job.record.id] = row.job.record }
            for id in part {
                if bytes >= query.bytesMax, let last = jobs.last {
                    return JobPage(jobs: jobs, next: query.place(of: last))
                }
                left.removeFirst()
                guard let job = found[id] else { continue }
                jobs.append(job)
                bytes += job.shownBytes
            }
        }
        return JobPage(jobs: jobs, next: next)
    }

    /// The most jobs that are read at once.
    private static let jobsAtOnce = 50

    /// The maximum number of jobs examined for one part of a list of ids.
    private static let idsExaminedMax = 10_000

    func ids(_ query: JobListQuery) throws(PostgresFailure) -> JobIDPage {
        var plan = try plan(for: query, most: Self.idsExaminedMax)
        let rows = try connection.run(plan.sql(), plan.values)
        var part = JobIDPage(ids: [], next: nil)
        for row in 0..<rows.count where rows.integer(row, 2) != 0 { part.ids.append(rows.id(row, 0)) }
        if rows.count == Self.idsExaminedMax {
            let last = rows.count - 1
            part.next = JobPage.Place(
                id: rows.id(last, 0), finishedAt: query.isByFinish ? rows.time(last, 1) : nil)
        }
        return part
    }

    func count(
        _ query: JobListQuery, by keys: [JobCount.Key], examinedMax: Int
    ) throws(PostgresFailure) -> JobCount {
        var plan = try plan(for: query, most: examinedMax + 1)
        let rows = try connection.run(plan.grouping(by: keys), plan.values)
        var examined = 0
        var groups: [JobCount.Group] = []
        for row in 0..<rows.count {
            examined += Int(rows.integer(row, 0))
            let count = Int(rows.integer(row, 1))
            if count == 0 { continue }
            let values = keys.enumerated().map { place, key in
                key == .state
                    ? JobState(stored: rows.integer(row, place + 2))?.rawValue ?? ""
                    : rows.text(row, place + 2)
            }
            groups.append(JobCount.Group(values: values, count: count))
        }
        return JobCount(groups: groups, isLowerBound: examined > examinedMax)
    }

    // MARK: Plans

    /// The query plan: leads with the first filter that few jobs pass, or else with the first of all.
    private func plan(for query: JobListQuery, most: Int) throws(PostgresFailure) -> PageQuery {
        let leads = PageQuery.leads(for: query)
        if leads.count > 1 {
            for lead in leads {
                let few = try plan(for: query, by: lead, most: Self.passedOverMax / 2)
                let count = try connection.run(few.counting(), few.values).integer(0, 0)
                if count < Int64(Self.passedOverMax / 2) { return try plan(for: query, by: lead, most: most) }
            }
        }
        return try plan(for: query, by: leads[0], most: most)
    }

    private func plan(
        for query: JobListQuery, by lead: PageQuery.Lead, most: Int
    ) throws(PostgresFailure) -> PageQuery {
        let schema = connection.address.schema
        if lead == .wait {
            return PageQuery(
                query, by: lead, schema: schema, most: most, waits: try waits(query.waitKind ?? []))
        }
        if lead == .tenant {
            return PageQuery(
                query, by: lead, schema: schema, most: most,
                queues: try values(of: "queue", " AND queue <> 'default'", from: query.tenant?.prefix ?? ""))
        }
        guard lead == .namePrefix, let prefix = query.namePrefix else {
            return PageQuery(query, by: lead, schema: schema, most: most)
        }
        return PageQuery(
            query, by: lead, schema: schema, most: most,
            names: try values(of: "name", " AND name <> type", from: prefix),
            types: try values(of: "type", "", from: prefix))
    }

    /// The sets of kinds of waits that jobs have and that contain `kind`, by leaps from one to the next.
    private func waits(_ kind: WaitKinds) throws(PostgresFailure) -> [WaitKinds] {
        let rows = try connection.run(PageQuery.waits(in: connection.address.schema))
        return (0..<rows.count).map { WaitKinds(rawValue: rows.integer($0, 0)) }.filter { $0.contains(kind) }
    }

    /// The first values with a prefix that jobs have, by leaps from one to the next.
    private func values(
        of column: String, _ filter: String, from prefix: String
    ) throws(PostgresFailure) -> [String] {
        func next(_ bound: String) -> String {
            """
            SELECT \(column) FROM \(connection.address.schema).job WHERE \(column) \(bound) AND \(column) < $2\(filter) \
            ORDER BY \(column) LIMIT 1
            """
        }
        let rows = try connection.run(
            LeapQuery.sql(first: next(">= $1"), next: next("> leap.value"))
                + " LIMIT \(PageQuery.namesMax + 1)",
            // No text has the byte 255.
            [.raw(prefix), .bytes(Array(prefix.utf8) + [.max])])
        return (0..<rows.count).map { rows.text($0, 0) }
    }
}
