import JobJournal
import JobKit
@testable import JobStore
@testable import SQLiteStore
import Testing

@Suite struct `A damaged journal` {
    /// Appends bytes that are not an entry to the journal of the first job.
    private func damage(_ directory: String) throws {
        try change(
            directory, "INSERT INTO journal SELECT coalesce(max(place), 1 << 28) + 1, x'FF' FROM journal")
    }

    private func change(_ directory: String, _ sql: String) throws {
        let session = try WriterSession(path: directory + "/jobs.db", options: SQLiteOptions())
        try session.begin()
        try session.connection.execute(sql)
        try session.commit()
    }

    @Test func `is not needed, nor believed, where only its summary is damaged`() async throws {
        try await withDirectory { directory in
            let entry = JournalEntry(at: .noon, path: ["a"], event: .started)
            try await withSQLite(directory) { store in
                try await store.add(.sample())
                var word = RunUpdate(
                    claim: try await store.claimOne().key, journal: [entry],
                    standing: .init(state: .waiting, attempt: 0, dueAt: .noon(9)))
                word.summary = JournalSummary(last: 1, entries: [])
                try await store.update(word)
            }
            try change(directory, "UPDATE summary SET bytes = x'FF'")
            try await withSQLite(directory) { store in
                let claim = try await store.claimOne(now: .noon(9))
                #expect(!claim.spec.isEmpty)
                #expect(claim.journal == [entry])
            }
        }
    }

    @Test func `lets no second request end a wait whose row is damaged`() async throws {
        try await withDirectory { directory in
            let place = CallbackPlace(path: ["printed"], round: 0)
            var id: JobID?
            func call(_ id: JobID, _ body: String) -> CallbackCall {
                let content = OperationResult(
                    status: nil, headers: [], contentType: nil, body: Array(body.utf8))
                let report = JobReport(place: place, content: content)
                return CallbackCall(
                    id, place, at: .noon(1), retries: 0,
                    content: .report(report, by: "test", digest: Array(body.utf8), nil))
            }
            try await withSQLite(directory) { store in
                let job = try await store.add(.sample())
                try await store.move(try await store.claimOne(), to: .waiting, dueAt: .noon(900))
                try await store.perform(call(job.id, "a"))
                id = job.id
            }
            try change(directory, "UPDATE callback_standing SET body = x'FF'")
            try await withSQLite(directory) { store in
                let id = try #require(id)
                #expect(await refusal { try await store.perform(call(id, "b")) } == .corrupt)
                let reader = try store.makeReader()
                #expect(await refusal { _ = try reader.callback(of: id, place) } == .corrupt)
            }
        }
    }

    @Test func `stops its own job and no other`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory) { store in
                try await store.add(.sample("damaged", priority: 9))
                try await store.add(.sample("sound"))
                try await store.move(try await store.claimOne(), to: .queued)
            }
            try damage(directory)
            try await withSQLite(directory) { store in
                let claims = try await store.claim()
                #expect(claims.map(\.record.name) == ["damaged", "sound"])
                #expect(claims.map(\.spec.isEmpty) == [true, false])
                let first = try #require(claims.first)
                let reader = try store.makeReader()
                let code = await refusal { _ = try reader.journal(first.record.id, after: 0, limit: 9) }
                #expect(code == .corrupt)
                try await store.move(first, to: .failed)
            }
        }
    }
}

@Suite struct `The search for work` {
    /// SQLite's steps for the metadata of a row that it found already.
    private static let metadata = [
        "CORRELATED SCALAR SUBQUERY 1", "SEARCH spec USING INTEGER PRIMARY KEY (rowid=?)",
    ]

    /// SQLite's query plan, one line per step.
    private func plan(_ sql: String, in directory: String) throws -> [String] {
        let session = try WriterSession(path: directory + "/plan.db", options: SQLiteOptions())
        let statement = try session.connection.prepare("EXPLAIN QUERY PLAN " + sql)
        var steps: [String] = []
        while try statement.step() { steps.append(statement.text(3)) }
        return steps.filter { !Self.metadata.contains($0) }
    }

    @Test(arguments: [
        (DispatchQueries.ready, "SEARCH job USING INDEX job_ready (tenant=?)"),
        (DispatchQueries.nextTenant, "SEARCH job USING COVERING INDEX job_ready (tenant>?)"),
        (DispatchQueries.hasReady, "SEARCH job USING COVERING INDEX job_ready (tenant=?)"),
        (DispatchQueries.due, "SEARCH job USING INDEX job_due (priority=? AND due_at>? AND due_at<?)"),
        (DispatchQueries.firstDue, "SEARCH job USING COVERING INDEX job_due (priority=? AND due_at>?)"),
        (DispatchQueries.lapsed, "SEARCH job USING INDEX job_expiry (expires_at>? AND expires_at<?)"),
    ])
    func `walks one partial index and sorts nothing`(_ sql: String, _ step: String) async throws {
        try await withDirectory { directory in
            let lock = try DirectoryLock(directory: directory)
            #expect(try plan(sql, in: directory) == [step])
            lock.release()
        }
    }

    /// By leaps from type to type, and then those that are in flight.
    @Test(arguments: [DispatchQueries.held, DispatchQueries.heldCounts])
    func `in flight walks the states that it has`(_ sql: String) async throws {
        try await withDirectory { directory in
            let lock = try DirectoryLock(directory: directory)
            let jobs = try plan(sql, in: directory).filter { $0.contains(" job ") }
            let leap = [
                "SEARCH job USING COVERING INDEX job_type",
                "SEARCH job USING COVERING INDEX job_type (type>?)",
            ]
            #expect(jobs == leap + ["SEARCH job USING INDEX job_type (type=? AND state=?)"])
            lock.release()
        }
    }

    /// The index has everything, and no line is sorted.
    @Test(arguments: [
        (
            DispatchQueries.lineHead,
            "SEARCH job USING COVERING INDEX job_line (queue=? AND priority=? AND queue_key=?"
        ),
        (
            DispatchQueries.lineBefore,
            "SEARCH job USING COVERING INDEX job_line (queue=? AND priority=? AND queue_key=?"
        ),
        (DispatchQueries.lines, "SCAN job USING COVERING INDEX job_line"),
    ])
    func `in lines reads their index alone`(_ sql: String, _ step: String) async throws {
        try await withDirectory { directory in
            let lock = try DirectoryLock(directory: directory)
            let steps = try plan(sql, in: directory).filter { $0.contains(" job ") || $0.contains("B-TREE") }
            #expect(steps.count == 1)
            #expect(steps.first?.hasPrefix(step) == true, "\(steps)")
            lock.release()
        }
    }

    /// By leaps from queue to queue.
    @Test func `for the names of queues reads one entry of each`() async throws {
        try await withDirectory { directory in
            let lock = try DirectoryLock(directory: directory)
            let steps = try plan(DispatchQueries.queueNames, in: directory).filter { $0.contains(" job ") }
            #expect(
                steps.allSatisfy { $0.hasPrefix("SEARCH job USING COVERING INDEX job_queue") }, "\(steps)")
            lock.release()
        }
    }

    @Test func `for suspects walks their table`() async throws {
        try await withDirectory { directory in
            let lock = try DirectoryLock(directory: directory)
            #expect(
                try plan(DispatchQueries.suspects, in: directory) == [
                    "SCAN suspect", "SEARCH job USING INTEGER PRIMARY KEY (rowid=?)",
                ])
            lock.release()
        }
    }

    @Test func `for erasable jobs and pending callbacks walks one index or table`() async throws {
        try await withDirectory { directory in
            let lock = try DirectoryLock(directory: directory)
            #expect(
                try plan(DispatchQueries.purgeable, in: directory) == [
                    "SEARCH job USING INDEX job_purge (purge_at>? AND purge_at<?)",
                    "SEARCH callback USING INTEGER PRIMARY KEY (rowid=?)",
                ])
            #expect(
                try plan(DispatchQueries.untold, in: directory) == [
                    "SCAN callback", "SEARCH job USING INTEGER PRIMARY KEY (rowid=?)",
                ])
            lock.release()
        }
    }
}
