import JobKit
import JobSpec
import JobStore
import Testing

@Suite struct `A page of jobs` {
    @Test(arguments: Engine.allCases) func `shows the newest first, or the oldest`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            for number in 0..<5 { try await store.add(.sample("\(number)", createdAt: .noon(Int64(number)))) }
            let reader = try store.makeReader()
            var query = JobListQuery()
            query.limit = 3
            let page = try reader.list(query)
            #expect(page.jobs.map(\.name) == ["4", "3", "2"])
            #expect(page.hasMore)
            query.after = page.jobs.last?.id
            let last = try reader.list(query)
            #expect(last.jobs.map(\.name) == ["1", "0"])
            #expect(!last.hasMore)
            query = JobListQuery()
            query.ascending = true
            #expect(try reader.list(query).jobs.map(\.name) == ["0", "1", "2", "3", "4"])
        }
    }

    @Test(arguments: Engine.allCases, [true, false]) func `is stable while jobs are added`(
        _ engine: Engine, _ ascending: Bool
    ) async throws {
        try await engine.withStore { store in
            for number in 0..<20 {
                try await store.add(.sample("\(number)", createdAt: .noon(Int64(number))))
            }
            let reader = try store.makeReader()
            var query = JobListQuery()
            query.limit = 3
            query.ascending = ascending
            var seen: [JobID] = []
            var hasMore = true
            var time: Int64 = 100
            while hasMore {
                let page = try reader.list(query)
                seen += page.jobs.map(\.id)
                hasMore = page.hasMore && seen.count < 60
                query.after = page.jobs.last?.id
                time += 1
                try await store.add(.sample("new", createdAt: .noon(time)))
                if ascending && time > 105 { break }
            }
            #expect(Set(seen).count == seen.count)
            #expect(seen == seen.sorted { ascending ? $0 < $1 : $0 > $1 })
            #expect(seen.count >= (ascending ? 18 : 20))
            if !ascending { #expect(seen.count == 20) }
        }
    }

    @Test(arguments: Engine.allCases) func `finds the beginning of a name or of an id`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let jobs = [
                ("import", "value"), ("imp", "value"), ("value", "value"), ("imq", "imps"), ("imps", "imps"),
            ]
            var ids: [JobID] = []
            for (number, (name, type)) in jobs.enumerated() {
                ids.append(
                    try await store.add(.sample(name, type: type, createdAt: .noon(Int64(number)))).id)
            }
            let reader = try store.makeReader()
            var query = JobListQuery()
            query.namePrefix = "imp"
            #expect(try reader.list(query).jobs.map(\.name) == ["imps", "imp", "import"])
            query.namePrefix = "v"
            #expect(try reader.list(query).jobs.map(\.name) == ["value"])
            query.namePrefix = "x"
            #expect(try reader.list(query).jobs.isEmpty)
            query.namePrefix = nil
            query.ids = ids[1]...ids[3]
            #expect(try reader.list(query).jobs.map(\.name) == ["imq", "value", "imp"])
            query.after = ids[3]
            #expect(try reader.list(query).jobs.map(\.name) == ["value", "imp"])
            query.after = nil
            query.namePrefix = "i"
            query.ascending = true
            #expect(try reader.list(query).jobs.map(\.name) == ["imp", "imq"])
        }
    }

    @Test(arguments: Engine.allCases) func `finds the key in a queue and the code of an error`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let one = try await store.add(.sample("one", of: "c-1"))
            try await store.add(.sample("two", of: "c-2"))
            try await store.add(.sample("three"))
            let reader = try store.makeReader()
            var byKey = JobListQuery()
            byKey.queueKey = "c-1"
            #expect(try reader.list(byKey).jobs.map(\.name) == ["one"])
            var byCode = JobListQuery()
            byCode.errorCode = "cancelled.user"
            #expect(try reader.list(byCode).jobs.isEmpty)
            try await store.cancel(one.id)
            #expect(try reader.list(byCode).jobs.map(\.name) == ["one"])
            byCode.isByFinish = true
            #expect(try reader.list(byCode).jobs.map(\.name) == ["one"])
            byCode.isByFinish = false
            byCode.queueKey = "c-2"
            #expect(try reader.list(byCode).jobs.isEmpty)
            byCode.queueKey = nil
            _ = try await store.retry(one.id)
            #expect(try reader.list(byCode).jobs.isEmpty)
            try await store.cancel(one.id)
            #expect(try reader.list(byCode).jobs.map(\.name) == ["one"])
            try await store.erase(one.id)
            #expect(try reader.list(byCode).jobs.isEmpty)
        }
    }

    /// Suspends a claimed job that waits so.
    private func suspend(
        _ claim: Claim, _ waits: [OperationWait], wakeKeys: [String] = [], in store: any JobStore
    ) async throws {
        var detail = JobDetail()
        detail.waits = waits.map { .init(name: "a", path: ["a"], wait: $0, since: .noon) }
        var standing = RunUpdate.Standing(
            state: .waiting, attempt: 1, dueAt: .noon(60), detail: StoredDetail(detail))
        standing.wakeKeys = wakeKeys
        try await store.update(RunUpdate(claim: claim.key, journal: [], standing: standing))
    }

    @Test(arguments: Engine.allCases)
    func `shows a job once that waits for two origins of a host`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let origins = ["https://api.example", "http://api.example"]
            try await store.add(.sample())
            let waits = origins.map { OperationWait(until: .noon(60), reason: .origin, key: $0) }
            try await suspend(
                try await store.claimOne(), waits, wakeKeys: origins.map(WakeKey.origin).sorted(), in: store)
            let reader = try store.makeReader()
            var query = JobListQuery()
            query.origins = origins
            #expect(try reader.list(query).jobs.count == 1)
            query.ascending = true
            #expect(try reader.ids(query).ids.count == 1)
            #expect(try reader.count(query, by: [], examinedMax: 9).total == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `finds what jobs wait for`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let origin = "https://api.example"
            for name in ["signal", "origin", "both", "runs", "over"] { try await store.add(.sample(name)) }
            let claims = try await store.claim(limit: 5)
            for claim in claims {
                let isForOrigin = claim.record.name == "origin" || claim.record.name == "both"
                let waits =
                    (isForOrigin ? [OperationWait(until: .noon(60), reason: .origin, key: origin)] : [])
                    + (claim.record.name == "origin" ? [] : [OperationWait(reason: .signal, key: "go")])
                try await suspend(
                    claim, waits, wakeKeys: isForOrigin ? [WakeKey.origin(origin)] : [], in: store)
            }
            try await store.add(.sample("queued"))
            try await store.add(.sample("scheduled", dueAt: .noon(90)))
            let reader = try store.makeReader()
            func names(_ change: (inout JobListQuery) -> Void) throws -> Set<String> {
                var query = JobListQuery()
                change(&query)
                return Set(try reader.list(query).jobs.map(\.name))
            }
            #expect(try names { $0.waitKind = .signal } == ["signal", "both", "runs", "over"])
            #expect(try names { $0.waitKind = .origin } == ["origin", "both"])
            #expect(try names { $0.origins = [origin, "http://api.example"] } == ["origin", "both"])
            #expect(try names { $0.origins = ["https://other.example"] }.isEmpty)
            #expect(try names { ($0.origins, $0.waitKind) = ([origin], .signal) } == ["both"])
            #expect(try names { ($0.states, $0.waitKind) = ([.retrying], .signal) }.isEmpty)
            #expect(try names { $0.waitKind = .queue } == ["queued"])
            #expect(try names { $0.waitKind = .time } == ["scheduled"])
            #expect(try names { $0.waitKind = .hold }.isEmpty)
            let id = try #require(claims.first { $0.record.name == "over" }).record.id
            try await store.cancel(id)
            #expect(try names { $0.waitKind = .signal } == ["signal", "both", "runs"])
            _ = try await store.retry(id)
            #expect(try names { $0.waitKind = .signal } == ["signal", "both", "runs"])
            #expect(try names { $0.waitKind = .queue } == ["queued", "over"])
            var counted = JobListQuery()
            counted.origins = [origin]
            #expect(try reader.count(counted, by: [.state], examinedMax: 9).total == 2)
            // One that is due again runs, and waits for nothing.
            _ = try await store.claim(limit: 9, now: .noon(60))
            #expect(try names { $0.waitKind = .signal }.isEmpty)
            #expect(try names { $0.origins = [origin] }.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `is counted in groups, up to a limit`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            for number in 0..<7 {
                let job = try await store.add(
                    .sample(queue: number < 3 ? "mail" : "other", type: number == 6 ? "group" : "value"))
                if number == 0 { try await store.cancel(job.id) }
            }
            let reader = try store.makeReader()
            var query = JobListQuery()
            let all = try reader.count(query, by: [.queue, .state], examinedMax: 100_000)
            #expect(
                all.groups == [
                    .init(values: ["other", "queued"], count: 4),
                    .init(values: ["mail", "queued"], count: 2),
                    .init(values: ["mail", "cancelled"], count: 1),
                ])
            #expect(!all.isLowerBound)
            #expect(all.total == 7)
            query.type = "value"
            query.states = [.queued]
            #expect(try reader.count(query, by: [], examinedMax: 100_000).total == 5)
            #expect(
                try reader.count(query, by: [.type], examinedMax: 100_000).groups
                    == [.init(values: ["value"], count: 5)])
            query.queue = "none"
            #expect(try reader.count(query, by: [.type], examinedMax: 100_000).groups.isEmpty)
            if engine == .sqlite {
                let part = try reader.count(JobListQuery(), by: [.type], examinedMax: 4)
                #expect(part.isLowerBound)
                #expect((4...5).contains(part.total))
            }
        }
    }

    @Test(arguments: Engine.allCases) func `finds a name whether it was given or comes from the type`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let jobs = [("value", "value"), ("value", "group"), ("other", "value"), ("value", "value")]
            for (number, (name, type)) in jobs.enumerated() {
                try await store.add(
                    .sample(
                        name, queue: number == 0 ? "default" : "own", type: type,
                        createdAt: .noon(Int64(number))))
            }
            let reader = try store.makeReader()
            var query = JobListQuery()
            query.name = "value"
            #expect(try reader.list(query).jobs.map(\.createdAt) == [.noon(3), .noon(1), .noon(0)])
            query.queue = "own"
            #expect(try reader.list(query).jobs.map(\.createdAt) == [.noon(3), .noon(1)])
            query.queue = "default"
            query.limit = 1
            #expect(try reader.list(query).jobs.map(\.createdAt) == [.noon(0)])
        }
    }

    @Test(arguments: Engine.allCases) func `continues after an erased job`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            for number in 0..<4 { try await store.add(.sample("\(number)", createdAt: .noon(Int64(number)))) }
            let reader = try store.makeReader()
            var query = JobListQuery()
            query.limit = 2
            let last = try #require(try reader.list(query).jobs.last)
            try await store.cancel(last.id)
            try await store.erase(last.id)
            query.after = last.id
            #expect(try reader.list(query).jobs.map(\.name) == ["1", "0"])
            query.ascending = true
            #expect(try reader.list(query).jobs.map(\.name) == ["3"])
        }
    }

    @Test(arguments: Engine.allCases) func `combines all filters`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let blue = JobSpec.Label(key: "team", value: "blue")
            let live = JobSpec.Label(key: "stage", value: "live")
            try await store.add(
                .sample("a", queue: "mail", type: "group", labels: [blue], createdAt: .noon(1)))
            try await store.add(.sample("b", type: "network", labels: [blue, live], createdAt: .noon(2)))
            try await store.add(.sample("c", type: "network", labels: [live], createdAt: .noon(3)))
            try await store.add(.sample("d", queue: "mail", createdAt: .noon(4)))
            let all = try store.makeReader().list(JobListQuery()).jobs
            for name in ["d", "c"] {
                try await store.cancel(try #require(all.first { $0.name == name }).id)
            }
            let reader = try store.makeReader()
            func names(_ change: (inout JobListQuery) -> Void) throws -> String {
                var query = JobListQuery()
                change(&query)
                return try reader.list(query).jobs.map(\.name).joined()
            }
            #expect(try names { $0.states = [.queued] } == "ba")
            #expect(try names { $0.states = [.cancelled] } == "dc")
            #expect(try names { $0.states = [.cancelled, .queued] } == "dcba")
            #expect(try names { $0.states = [.succeeded] } == "")
            #expect(try names { $0.type = "network" } == "cb")
            #expect(try names { $0.queue = "mail" } == "da")
            #expect(try names { $0.name = "b" } == "b")
            #expect(try names { $0.labels = [blue] } == "ba")
            #expect(try names { $0.labels = [live, blue] } == "b")
            #expect(try names { $0.labels = [.init(key: "team", value: "red")] } == "")
            #expect(try names { $0.createdFrom = .noon(2) } == "dcb")
            #expect(try names { $0.createdBefore = .noon(3) } == "ba")
            #expect(
                try names {
                    $0.states = [.cancelled]; $0.type = "network"; $0.labels = [live]
                } == "c")
            #expect(
                try names {
                    $0.labels = [live]; $0.createdFrom = .noon(3); $0.ascending = true
                } == "c")
        }
    }

    @Test(arguments: Engine.allCases, [true, false])
    func `shows jobs that ended within a period by the time of their end`(_ engine: Engine, _ ascending: Bool)
        async throws
    {
        try await engine.withStore { store in
            for number in 0..<6 { try await store.add(.sample("\(number)", createdAt: .noon(Int64(number)))) }
            let ids = try store.makeReader().list(JobListQuery()).jobs.map(\.id)
            // The latest jobs end first, two in each second.
            for (place, id) in ids.dropLast().enumerated() {
                try await store.cancel(id, at: .noon(100 + Int64(place / 2)))
            }
            let reader = try store.makeReader()
            var query = JobListQuery()
            query.isByFinish = true
            query.ascending = ascending
            query.limit = 2
            query.finishedFrom = .noon(100)
            query.finishedBefore = .noon(102)
            var seen: [String] = []
            repeat {
                let page = try reader.list(query)
                seen += page.jobs.map(\.name)
                (query.after, query.afterFinish) = (page.next?.id, page.next?.finishedAt)
            } while query.after != nil && seen.count < 9
            #expect(seen == (ascending ? ["4", "5", "2", "3"] : ["3", "2", "5", "4"]))
            query.states = [.failed]
            #expect(try reader.list(query).jobs.isEmpty)
            query.states = [.queued]
            #expect(try reader.list(query).jobs.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `keeps its size within bounds`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            for _ in 0..<3 { try await store.add(.sample()) }
            let reader = try store.makeReader()
            var query = JobListQuery()
            query.limit = 0
            #expect(try reader.list(query).jobs.count == 1)
            query.limit = 9_999
            #expect(try reader.list(query).jobs.count == 3)
        }
    }
}
