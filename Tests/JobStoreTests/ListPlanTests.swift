import JobKit
import JobSpec
@testable import JobStore
@testable import SQLiteStore
import Testing

@Suite struct `The search for a page` {
    typealias Change = @Sendable (inout JobListQuery) -> Void

    /// The scans of SQLite for a query, without steps that only look up a row or merge results.
    private func ways(_ query: JobListQuery, by lead: PageQuery.Lead, in directory: String) throws -> Set<
        String
    > {
        let session = try WriterSession(path: directory + "/plan.db", options: SQLiteOptions())
        let plan = PageQuery(
            query, by: lead, types: ["group", "network"], names: ["imports", "imported"],
            waits: [.signal, [.signal, .time]])
        let statement = try session.connection.prepare("EXPLAIN QUERY PLAN " + plan.sql)
        plan.bind(to: statement)
        var ways: Set<String> = []
        while try statement.step() {
            let step = statement.text(3)
            if !["MERGE (UNION ALL)", "LEFT", "RIGHT"].contains(step) { ways.insert(step) }
        }
        return ways
    }

    /// All rows come from one index, in the order of the page, after the start of the page.
    private static let cases: [(Change, PageQuery.Lead, Set<String>)] = [
        ({ _ in }, .everything, ["job USING COVERING INDEX job_id (id<?)"]),
        // A job without a name is named after its type.
        (
            { $0.name = "n" }, .name,
            [
                "job USING INDEX job_name (name=? AND id<?)",
                "job USING INDEX job_type (type=? AND state=? AND id<?)",
            ]
        ),
        ({ $0.queue = "q" }, .queue, ["job USING COVERING INDEX job_queue (queue=? AND id<?)"]),
        ({ $0.type = "group" }, .type, ["job USING COVERING INDEX job_type (type=? AND state=? AND id<?)"]),
        ({ $0.queueKey = "c" }, .key, ["job USING COVERING INDEX job_key (queue_key=? AND id<?)"]),
        (
            { $0.errorCode = "http.status" }, .error,
            ["job USING COVERING INDEX job_error (error_code=? AND id<?)"]
        ),
        ({ $0.waitKind = .signal }, .wait, ["job USING INDEX job_wait (wait_kinds=? AND id<?)"]),
        (
            { $0.waitKind = .time }, .wait,
            [
                "job USING INDEX job_wait (wait_kinds=? AND id<?)",
                "job USING COVERING INDEX job_type (type=? AND state=? AND id<?)",
            ]
        ),
        (
            { $0.namePrefix = "imp" }, .namePrefix,
            [
                "job USING INDEX job_name (name=? AND id<?)",
                "job USING INDEX job_type (type=? AND state=? AND id<?)",
            ]
        ),
        (
            { $0.ids = JobID(high: 1, low: 0)...JobID(high: 2, low: 0) }, .everything,
            ["job USING COVERING INDEX job_id (id>? AND id<?)"]
        ),
        ({ $0.queue = "default" }, .everything, ["job USING INDEX job_id (id<?)"]),
        (
            { $0.states = [.running] }, .state,
            ["job USING COVERING INDEX job_type (type=? AND state=? AND id<?)"]
        ),
        (
            { $0.states = [.queued, .waiting] }, .state,
            ["job USING COVERING INDEX job_type (type=? AND state=? AND id<?)"]
        ),
        (
            {
                $0.states = [.queued]; $0.name = "n"
            }, .name,
            [
                "job USING INDEX job_name (name=? AND id<?)",
                "job USING INDEX job_type (type=? AND state=? AND id<?)",
            ]
        ),
        (
            {
                $0.states = [.failed]; $0.queue = "q"
            }, .queue,
            ["job USING INDEX job_queue (queue=? AND id<?)"]
        ),
        (
            {
                $0.states = [.succeeded]; $0.type = "group"
            }, .type,
            ["job USING COVERING INDEX job_type (type=? AND state=? AND id<?)"]
        ),
        (
            {
                $0.states = [.failed]; $0.createdFrom = .noon
            }, .state,
            ["job USING INDEX job_type (type=? AND state=? AND id>? AND id<?)"]
        ),
        (
            { $0.isByFinish = true }, .finish,
            ["job USING COVERING INDEX job_finished (state=? AND finished_at>? AND (finished_at,id)<(?,?))"]
        ),
        (
            {
                $0.isByFinish = true; $0.finishedFrom = .noon; $0.states = [.failed]
            }, .finish,
            ["job USING COVERING INDEX job_finished (state=? AND finished_at>? AND (finished_at,id)<(?,?))"]
        ),
    ]

    @Test(arguments: cases.indices, [true, false])
    func `walks one index in its order and sorts nothing`(_ number: Int, _ isFirst: Bool) async throws {
        try await withDirectory { directory in
            let lock = try DirectoryLock(directory: directory)
            let (change, lead, expected) = Self.cases[number]
            var query = JobListQuery()
            change(&query)
            let alternative: [PageQuery.Lead] =
                (lead == .name || lead == .queue) && !query.states.isEmpty ? [.state] : []
            #expect(PageQuery.leads(for: query) == [lead] + alternative)
            if !isFirst {
                query.after = .made(at: .noon(9))
                query.afterFinish = .noon(9)
            }
            let ways = try ways(query, by: lead, in: directory)
            if isFirst {
                #expect(!ways.contains { $0.contains("TEMP B-TREE") })
                #expect(ways.allSatisfy { $0.contains("INDEX job_") })
            } else {
                #expect(ways == Set(expected.map { "SEARCH " + $0 }))
            }
            lock.release()
        }
    }

    @Test func `of a label walks that label's jobs and looks the rest up`() async throws {
        try await withDirectory { directory in
            let lock = try DirectoryLock(directory: directory)
            var query = JobListQuery()
            query.labels = [.init(key: "a", value: "b")]
            query.states = [.failed]
            query.after = .made(at: .noon)
            #expect(PageQuery.leads(for: query) == [.label(0), .state])
            #expect(
                try ways(query, by: .label(0), in: directory) == [
                    "SEARCH first USING PRIMARY KEY (key=? AND value=? AND id<?)",
                    "SEARCH job USING INDEX job_id (id=?)",
                ])
            lock.release()
        }
    }

    /// The wake keys are for an origin that few jobs wait for; of many the kinds of waits are walked.
    @Test func `of an origin walks its wake keys, or the waits for any`() async throws {
        try await withDirectory { directory in
            let lock = try DirectoryLock(directory: directory)
            var query = JobListQuery()
            query.origins = ["https://a.example"]
            query.after = .made(at: .noon)
            #expect(PageQuery.leads(for: query) == [.wait, .origin])
            let few = try ways(query, by: .origin, in: directory)
            #expect(few.contains { $0.hasPrefix("SEARCH first USING") && $0.contains("(key=?") }, "\(few)")
            let many = try ways(query, by: .wait, in: directory)
            #expect(many.contains("SEARCH job USING INDEX job_wait (wait_kinds=? AND id<?)"), "\(many)")
            #expect(!many.contains { $0.contains("TEMP B-TREE") })
            lock.release()
        }
    }

    @Test func `of names with a prefix is by their index while they are few`() {
        var query = JobListQuery()
        query.namePrefix = "imp"
        let few = (0..<PageQuery.namesMax).map { "imp\($0)" }
        #expect(PageQuery(query, by: .namePrefix, names: few).sql.contains("INDEXED BY job_name"))
        let many = few + ["import"]
        #expect(PageQuery(query, by: .namePrefix, names: many).sql.contains("INDEXED BY job_id"))
    }

    @Test func `by two filters that no index knows together ends after a bounded number of jobs`()
        async throws
    {
        try await withDirectory { directory in
            try await withSQLite(directory) { store in
                let many = ListBounds.passedOver * 3
                for number in 0..<many {
                    try await store.add(
                        .sample(
                            "n", queue: "q\(number % 2)", type: "t\(number % 2)",
                            createdAt: .noon(Int64(number))))
                }
                try await store.add(.sample("n", queue: "q0", type: "t1", createdAt: .noon(-1)))
                var query = JobListQuery()
                (query.queue, query.type) = ("q0", "t1")
                let reader = try store.makeReader()
                let first = try reader.list(query)
                #expect(first.jobs.isEmpty)
                query.after = try #require(first.next).id
                let second = try reader.list(query)
                #expect(second.jobs.map(\.queue) == ["q0"])
                #expect(second.next == nil)
            }
        }
    }
}
