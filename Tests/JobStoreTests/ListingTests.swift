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
