import JobKit
import JobSpec
import JobStore
import Testing

@Suite struct `Submitting a job` {
    @Test(arguments: Engine.allCases) func `makes it readable with all it was given`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let new = NewJob.sample(
                "charge", priority: 9, queue: "mail", type: "network",
                labels: [.init(key: "team", value: "blue"), .init(key: "", value: "")], dueAt: .noon(5),
                expiresAt: .noon(9))
            let made = try await store.add(new)
            let reader = try store.makeReader()
            #expect(made == new.record)
            #expect(try reader.job(new.record.id) == new.record)
            #expect(try reader.spec(new.record.id) == new.spec)
            #expect(try reader.result(new.record.id) == nil)
            #expect(try reader.journal(new.record.id, after: 0, limit: 10).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `keeps every byte of texts, U+0000 included`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let odd = "a\u{0}b\u{1F600}e\u{301}"
            let new = NewJob.sample(
                odd, queue: "q\u{0}", labels: [.init(key: odd, value: odd)], spec: "\u{0}{\u{0}}")
            try await store.add(new)
            let reader = try store.makeReader()
            let read = try #require(try reader.job(new.record.id))
            #expect(Array(read.name.utf8) == Array(odd.utf8))
            #expect(Array(read.queue.utf8) == Array("q\u{0}".utf8))
            #expect(read.labels.map { Array($0.value.utf8) } == [Array(odd.utf8)])
            #expect(try reader.spec(new.record.id) == [0, 0x7B, 0, 0x7D])
        }
    }

    @Test(arguments: Engine.allCases) func `keeps metadata, in the spec or beside it`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let text = #"{"metadata":{"é":[1, 2]},"type":"value"}"#
            var inside = NewJob.sample("inside", labels: [.init(key: "team", value: "blue")], spec: text)
            inside.metadataPlace = 12..<25
            inside.record.metadata = Array(Array(text.utf8)[12..<25])
            var beside = NewJob.sample("beside")
            beside.record.metadata = Array("{}".utf8)
            for new in [inside, beside, .sample("none")] {
                try await store.add(new)
                let reader = try store.makeReader()
                #expect(try reader.job(new.record.id)?.metadata == new.record.metadata)
                #expect(try reader.list(JobListQuery()).jobs.first?.metadata == new.record.metadata)
            }
            for claim in try await store.claim() {
                let given = [inside, beside].first { $0.record.id == claim.record.id }
                #expect(claim.record.metadata == given?.record.metadata ?? [])
            }
        }
    }

    @Test(arguments: Engine.allCases) func `keeps a spec of one mebibyte`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            var new = NewJob.sample()
            new.spec = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await store.add(new)
            #expect(try store.makeReader().spec(new.record.id) == new.spec)
        }
    }

    @Test(arguments: Engine.allCases) func `refuses an id that is taken`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let first = NewJob.sample("first")
            try await store.add(first)
            let code = await refusal { try await store.submit(.sample("second", id: first.record.id)) }
            #expect(code == .duplicateID)
            #expect(try store.makeReader().job(first.record.id)?.name == "first")
            #expect(store.counts() == [.queued: 1])
        }
    }

    @Test(arguments: Engine.allCases) func `refuses an id that is taken, and no other job of the group`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let known = try await store.add(.sample("known"))
            let jobs = (0..<40).map { $0 == 17 ? NewJob.sample("again", id: known.id) : .sample("job_\($0)") }
            let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
            for job in jobs {
                store.submit(job) { reply in
                    if case .success(.created) = reply { answer.yield(true) } else { answer.yield(false) }
                }
            }
            let made = await answers.prefix(jobs.count).reduce(into: []) { $0.append($1) }
            #expect(made.filter { $0 }.count == 39)
            #expect(store.counts() == [.queued: 40])
        }
    }

    @Test(arguments: Engine.allCases) func `finds the job of a repeated key`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let first = try await store.add(.sample("first", key: "k"))
            guard case .replayed(let found) = try await store.submit(.sample("second", key: "k")) else {
                throw Unexpected("the key was not found")
            }
            #expect(found == first)
            #expect(store.counts() == [.queued: 1])
        }
    }

    @Test(arguments: Engine.allCases) func `refuses a key that another request used`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let first = try await store.add(.sample(key: "k", fingerprint: [1]))
            guard case .keyReused(let id) = try await store.submit(.sample(key: "k", fingerprint: [2])) else {
                throw Unexpected("the mistake was not seen")
            }
            #expect(id == first.id)
            #expect(store.counts() == [.queued: 1])
        }
    }

    @Test(arguments: Engine.allCases) func `takes a key again when its time is over`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let first = try await store.add(.sample(key: "k", keyUntil: .noon(10)))
            let second = try await store.add(.sample(createdAt: .noon(10), key: "k", keyUntil: .noon(20)))
            #expect(first.id != second.id)
            guard case .replayed(let found) = try await store.submit(.sample(createdAt: .noon(11), key: "k"))
            else {
                throw Unexpected("the key was not found")
            }
            #expect(found.id == second.id)
        }
    }

    @Test(arguments: Engine.allCases, [true, false])
    func `creates no second job while the key is valid, though the first is deleted`(
        _ engine: Engine, isErased: Bool
    ) async throws {
        try await engine.withStore { store in
            let first = try await store.add(.sample(key: "k", keyUntil: .noon(60)))
            try await store.cancel(first.id)
            if isErased { try await store.erase(first.id) }
            #expect(try await store.sweep(now: .noon(30)) == (isErased ? 0 : 1))
            let again = NewJob.sample(createdAt: .noon(59), key: "k")
            for isAtomic in [false, true] {
                guard case .items(let items) = try await store.submit([again], isAtomic: isAtomic),
                    case .success(.replayedGone(let gone))? = items.first
                else { throw Unexpected("the key was forgotten") }
                #expect(gone == first.id)
            }
            let other = NewJob.sample(createdAt: .noon(59), key: "k", fingerprint: [2])
            guard case .keyReused(first.id) = try await store.submit(other) else {
                throw Unexpected("the mistake was not seen")
            }
            #expect(store.counts().isEmpty)
            try await store.add(.sample(createdAt: .noon(60), key: "k"))
        }
    }

    @Test(arguments: Engine.allCases) func `creates once when many come with one key`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let outcomes = try await withThrowingTaskGroup(of: (Bool, JobID).self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        switch try await store.submit(.sample(key: "same")) {
                        case .created(let record): (true, record.id)
                        case .replayed(let record): (false, record.id)
                        case .keyReused(let id), .replayedGone(let id): (false, id)
                        case .joined(let record), .replacing(let record, _): (false, record.id)
                        }
                    }
                }
                return try await group.reduce(into: [(Bool, JobID)]()) { $0.append($1) }
            }
            #expect(outcomes.count { $0.0 } == 1)
            #expect(Set(outcomes.map(\.1)).count == 1)
            #expect(store.counts() == [.queued: 1])
        }
    }

    @Test(arguments: Engine.allCases) func `is refused beyond the limit of unfinished jobs`(
        _ engine: Engine
    ) async throws {
        var limits = StoreLimits()
        limits.unfinishedJobsMax = 2
        try await engine.withStore(limits: limits) { store in
            try await store.add(.sample(key: "first"))
            try await store.add(.sample())
            #expect(await refusal { try await store.submit(.sample()) } == .queueFull)
            guard case .replayed = try await store.submit(.sample(key: "first")) else {
                throw Unexpected("a full queue must not hide what is known")
            }
            try await store.move(try await store.claimOne(), to: .succeeded)
            try await store.add(.sample())
        }
    }

    @Test(arguments: Engine.allCases) func `of many callers loses none`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let ids = try await withThrowingTaskGroup(of: JobID.self) { group in
                for _ in 0..<500 { group.addTask { try await store.add(.sample()).id } }
                return try await group.reduce(into: Set<JobID>()) { $0.insert($1) }
            }
            let reader = try store.makeReader()
            #expect(ids.count == 500)
            #expect(try ids.allSatisfy { try reader.job($0) != nil })
            #expect(store.counts() == [.queued: 500])
        }
    }
}
