import JobKit
@testable import JobStore
import StrictJSON
import Testing

extension StoredDetail {
    /// The detail of a job that a call failed.
    static func failed(_ method: String, _ url: String, status: Int) -> StoredDetail {
        var error = AOperationError(.httpStatus, detail: "It answered \(status).")
        error.upstream = .init(status: status, headers: JSONObject(), bodyExcerpt: "no")
        var detail = JobDetail(errors: [error])
        detail.call = JobDetail.Call(method: method, url: url)
        return StoredDetail(detail)
    }
}

extension JobStore {
    /// Counts all ends that are not counted yet, and returns their number.
    @discardableResult
    fileprivate func count(at now: Timestamp = .noon(600), limit: Int = 1_000) async throws -> Int {
        var count = 0
        while true {
            let reply = try await perform(StatsRollUp(now: now, limit: limit))
            count += reply.count
            if !reply.isMore { return count }
        }
    }

    /// The counts of a day by the values of a facet.
    fileprivate func counts(
        by facet: StatsFacet, _ step: StatsStep = .day, of tenant: Tenant? = nil
    ) throws -> [String: Int64] {
        let points = try makeReader().stats(
            by: facet, step, of: tenant, from: .noon(-86_400), before: .noon(86_400))
        var counts: [String: Int64] = [:]
        for point in points {
            for (value, group) in point.bin.groups { counts[value.text, default: 0] += group.count }
        }
        return counts
    }

    /// Submits a job and ends it.
    @discardableResult
    fileprivate func end(
        _ name: String = "greet", queue: String = "default", as state: JobState = .succeeded,
        at time: Timestamp = .noon(1), detail: StoredDetail = .nothing
    ) async throws -> JobID {
        let job = try await add(.sample(name, queue: queue))
        let claim = try await claimOne()
        try await update(
            RunUpdate(
                claim: claim.key, journal: [],
                standing: .init(state: state, attempt: 1, finishedAt: time, detail: detail)))
        return job.id
    }
}

@Suite struct `The statistics of ended jobs` {
    private static let failure = StoredDetail.failed("POST", "https://api.example.com/v2/x?k=1", status: 500)

    @Test(arguments: Engine.allCases) func `count each end once, by all its facts`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.end("a", queue: "mail")
            try await store.end("b")
            let failed = try await store.end("b", as: .failed, detail: Self.failure)
            try await store.cancel(try await store.add(.sample("c")).id, at: .noon(2))
            #expect(try await store.count() == 4)
            #expect(try await store.count() == 0)
            for step in StatsStep.allCases {
                #expect(
                    try store.counts(by: .state, step) == ["succeeded": 2, "failed": 1, "cancelled": 1])
            }
            #expect(try store.counts(by: .name) == ["a": 1, "b": 2, "c": 1])
            #expect(try store.counts(by: .queue) == ["mail": 1, "default": 3])
            #expect(try store.counts(by: .host) == ["api.example.com": 1])
            #expect(try store.counts(by: .code) == ["http.status": 1, "cancelled.user": 1])
            let points = try store.makeReader().stats(
                by: .failure, .minute, of: nil, from: .noon(-60), before: .noon(60))
            let group = try #require(points.first?.bin.ordered.first)
            #expect(group.key.text == "http.status\napi.example.com\nb")
            #expect(group.value.jobs == [failed])
        }
    }

    @Test(arguments: Engine.allCases) func `count ends whose jobs were retried or erased before`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let retried = try await store.end(as: .failed, detail: Self.failure)
            _ = try await store.retry(retried, at: .noon(2))
            try await store.move(try await store.claimOne(now: .noon(2)), to: .succeeded, at: .noon(3))
            try await store.erase(try await store.end("gone", as: .failed, detail: Self.failure))
            #expect(try await store.count() == 3)
            #expect(try store.counts(by: .state) == ["failed": 2, "succeeded": 1])
            try await store.erase(retried)
            #expect(try await store.count() == 0)
        }
    }

    @Test(arguments: Engine.allCases) func `count an end that is stored late`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.end(at: .noon(100))
            #expect(try await store.count() == 1)
            try await store.end(at: .noon(5))
            let late = try await store.end(as: .failed, at: .noon(6))
            try await store.erase(late)
            #expect(try await store.count() == 2)
            #expect(try await store.count() == 0)
            #expect(try store.counts(by: .state) == ["succeeded": 2, "failed": 1])
        }
    }

    @Test(arguments: Engine.allCases) func `count in slices what ends at one moment`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            for _ in 0..<25 {
                try await store.cancel(try await store.add(.sample()).id, at: .noon(1))
            }
            #expect(try await store.count(limit: 10) == 25)
            #expect(try store.counts(by: .state) == ["cancelled": 25])
        }
    }

    @Test(arguments: Engine.allCases) func `count the ends of few tenants in one transaction`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            for number in 0..<60 { try await store.end(queue: "t\(number)/mail") }
            let first = try await store.perform(StatsRollUp(now: .noon(600), limit: 1_000))
            #expect(first == StatsRollUp.Reply(count: 50, isMore: true))
            #expect(try await store.count() == 10)
            #expect(try store.counts(by: .state) == ["succeeded": 60])
        }
    }

    @Test(arguments: Engine.allCases) func `are those of each tenant, and of all`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.end(queue: "acme/mail")
            try await store.end(queue: "other/mail")
            try await store.end(queue: "mail")
            try await store.count()
            #expect(try store.counts(by: .queue) == ["acme/mail": 1, "other/mail": 1, "mail": 1])
            #expect(try store.counts(by: .queue, of: Tenant("acme")) == ["mail": 1])
            #expect(try store.counts(by: .state, of: Tenant("none")).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `keep what waits to start and takes, in milliseconds`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne(now: .noon(2))
            try await store.move(claim, to: .succeeded, at: .noon(12))
            try await store.count()
            let points = try store.makeReader().stats(
                by: .state, .hour, of: nil, from: .noon(-3_600), before: .noon(3_600))
            let group = try #require(points.first?.bin.groups.values.first)
            let delay = try #require(group.startDelays.percentile(500))
            let duration = try #require(group.durations.percentile(990))
            #expect(abs(delay - 2_000) <= 2_000 / 32)
            #expect(abs(duration - 10_000) <= 10_000 / 32)
        }
    }

    @Test(arguments: Engine.allCases) func `have fewer values when their step is over, and go at last`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            for number in 0..<30 { try await store.end("n\(number)") }
            try await store.count(at: .noon(30))
            #expect(try store.counts(by: .name, .minute).count == 30)
            try await store.end("later", at: .noon(200))
            try await store.count(at: .noon(300))
            let minutes = try store.makeReader().stats(
                by: .name, .minute, of: nil, from: .noon(-60), before: .noon(60))
            #expect(minutes.first?.bin.groups.count == StatsBin.sealedMax)
            #expect(minutes.first?.bin.rest.count == 10)
            #expect(try store.counts(by: .name, .hour).count == 31)
            let removed = try await store.perform(
                RowSweep(.stats, before: .noon(2 * 86_400), limit: 1_000))
            #expect(removed > 0)
            #expect(try store.counts(by: .name, .minute).isEmpty)
            #expect(try store.counts(by: .name, .hour).count == 31)
        }
    }

    @Test func `are exact when a data directory is opened again`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory) { store in
                try await store.end(at: .noon(1))
                try await store.count()
                try await store.end(at: .noon(2))
                let early = try await store.end(as: .failed, at: .noon(0))
                try await store.erase(early)
            }
            try await withSQLite(directory) { store in
                let (count, counts) = (try await store.count(), try store.counts(by: .state))
                #expect(count == 2)
                #expect(counts == ["succeeded": 2, "failed": 1])
            }
            let count = try await withSQLite(directory) { try await $0.count() }
            #expect(count == 0)
        }
    }
}

@Suite struct `Jobs that a call failed` {
    /// Expects that a list with this filter has these jobs, in either order.
    private func expect(
        _ names: [String], in store: any JobStore, _ change: (inout JobListQuery.CallFilter) -> Void
    ) throws {
        var query = JobListQuery()
        change(&query.call)
        for isByFinish in [false, true] {
            query.isByFinish = isByFinish
            let found = try store.makeReader().list(query).jobs.map(\.name).sorted()
            #expect(found == names, "\(query.call)")
        }
    }

    @Test(arguments: Engine.allCases) func `are found by its host, URL, method and status`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let url = "https://api.example.com/v2/x"
            try await store.end("a", as: .failed, detail: .failed("POST", url, status: 500))
            try await store.end("b", as: .failed, detail: .failed("GET", url + "y", status: 404))
            try await store.end("c", as: .failed, detail: .failed("GET", "http://other:81/", status: 500))
            try await store.end("d", as: .failed, detail: .sample("no call"))
            var detail = JobDetail()
            detail.call = JobDetail.Call(method: "POST", url: url)
            try await store.end("e", detail: StoredDetail(detail))
            try expect(["a", "b"], in: store) { $0.host = "api.example.com" }
            try expect(["c"], in: store) { $0.host = "other:81" }
            try expect(["d"], in: store) { $0.host = "" }
            try expect(["a", "c"], in: store) { $0.status = 500 }
            try expect(["b", "c"], in: store) { $0.method = "GET" }
            try expect(["b"], in: store) { $0.urlPrefix = url + "y" }
            try expect(["a"], in: store) { ($0.host, $0.status) = ("api.example.com", 500) }
            try expect([], in: store) { $0.urlPrefix = "https://api.example.com/v3" }
        }
    }

    @Test(arguments: Engine.allCases) func `are not found any more when they are retried`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let id = try await store.end(
                "a", as: .failed, detail: .failed("POST", "https://api.example.com/", status: 500))
            _ = try await store.retry(id)
            try expect([], in: store) { $0.host = "api.example.com" }
            try expect([], in: store) { $0.status = 500 }
        }
    }
}
