import JobJournal
import JobKit
import JobStore
import ScratchPostgres
import StrictJSON
import Synchronization
import Testing

@testable import PostgresStore

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `Servers that share a store` {
    @Test func `see what any of them acknowledged`() async throws {
        try await Servers.run { servers in
            let job = try await servers[0].add(.sample(key: "k"))
            #expect(try servers[1].makeReader().job(job.id) == job)
            guard case .replayed(job) = try await servers[1].submit(.sample(key: "k")) else {
                throw Unexpected("the key is unknown")
            }
            let claim = try #require(try await servers[1].claim(owner: "b").first)
            #expect(claim.record.id == job.id)
            guard case .cancelling = try await servers[0].cancel(job.id) else {
                throw Unexpected("not cancelling")
            }
            let entry = JournalEntry(at: .noon, path: [], event: .retried(by: "ada"))
            #expect(try await servers[0].post(JobPost(id: job.id, journal: entry)).isRunning)
            try await servers[1].move(claim, to: .cancelled)
            let reader = try servers[0].makeReader()
            #expect(try reader.job(job.id)?.state == .cancelled)
            #expect(try reader.journal(job.id, after: 0, limit: 9).map(\.sequence) == [1, 2])
        }
    }

    @Test func `make one job for each key and unique key, whichever comes first`() async throws {
        try await Servers.run(3) { servers in
            let made = try await withThrowingTaskGroup(of: [Bool].self) { group in
                for (place, store) in servers.stores.enumerated() {
                    group.addTask {
                        var made: [Bool] = []
                        for round in 0..<10 {
                            // Every server brings the same keys, in another order.
                            var jobs = (0..<5).map { NewJob.sample(key: "\(round) \(($0 + place) % 5)") }
                            for number in jobs.indices {
                                jobs[number].unique = UniqueClaim(
                                    key: "\(round) \(number % 2)", onConflict: .reject,
                                    stopping: { CancelRequest(id: $0.id, at: .noon, journal: .stop) })
                            }
                            guard case .items(let items) = try await store.submit(jobs) else { continue }
                            made += items.map {
                                if case .success(.created) = $0 { true } else { false }
                            }
                        }
                        return made
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let count = made.count { $0 }
            #expect(count >= 10 && count <= 20)
            let rows = try servers.connection().run(
                """
                SELECT count(*), count(DISTINCT number), count(DISTINCT idempotency_key) FROM \(servers.schema).job
                """)
            #expect(rows.integer(0, 0) == Int64(count))
            #expect(rows.integer(0, 1) == Int64(count))
            #expect(rows.integer(0, 2) == Int64(count))
            let lines = try servers.connection().run(
                "SELECT count(*), count(DISTINCT key) FROM \(servers.schema).waiter WHERE NOT is_over")
            #expect(lines.integer(0, 0) == lines.integer(0, 1))
        }
    }

    @Test func `claim each job once`() async throws {
        try await Servers.run(3) { servers in
            let jobs = (0..<300).map { _ in NewJob.sample() }
            _ = try await servers[0].submit(jobs)
            let claimed = try await withThrowingTaskGroup(of: [JobID].self) { group in
                for (place, store) in servers.stores.enumerated() {
                    group.addTask {
                        var claimed: [JobID] = []
                        while true {
                            let claims = try await store.claim(limit: 7, owner: OwnerID("\(place)"))
                            if claims.isEmpty { return claimed }
                            claimed += claims.map(\.record.id)
                            for claim in claims { try await store.move(claim, to: .succeeded) }
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(claimed.count == 300)
            #expect(Set(claimed) == Set(jobs.map(\.record.id)))
            for store in servers.stores {
                #expect(try await eventually { store.counts() == [.succeeded: 300] })
            }
        }
    }

    /// The reason why a job has been claimable since long ago.
    enum Cause: CaseIterable {
        case cancellation, oldDate, oldDueDate
    }

    @Test(arguments: Cause.allCases)
    func `find old jobs that another made runnable as soon as they hear of it`(_ cause: Cause) async throws {
        let spec = """
            {"type":"group","operations":[{"type":"delay","for":"1h"}],"finally":[{"type":"value","value":1}]}
            """
        try await Servers.run { servers in
            let longAgo = Timestamp(milliseconds: 1_000_000_000_000)
            let now = Timestamp(milliseconds: 4_000_000_000_000)
            let job = try await servers[0].add(.sample(type: "group", createdAt: longAgo, spec: spec))
            var claims: [Claim] = []
            #expect(
                try await eventually(for: 1) {
                    claims = try await servers[1].claim(owner: "b", now: now)
                    return claims.count
                })
            try await servers[1].move(
                try #require(claims.first), to: .waiting, dueAt: now.advanced(by: .seconds(900)))
            // Scans are not from the beginning.
            for _ in 0..<2 {
                #expect(try await servers[1].claim(owner: "b", now: now).isEmpty)
                try await Task.sleep(for: .milliseconds(200))
            }
            let heard = Mutex(0)
            servers[1].observeCommits { changes in heard.withLock { $0 += changes.count } }
            switch cause {
            case .cancellation:
                guard case .cancelling = try await servers[0].cancel(job.id) else {
                    throw Unexpected("nothing is left to run")
                }
            case .oldDate: try await servers[0].add(.sample(createdAt: longAgo))
            case .oldDueDate: try await servers[0].add(.sample(dueAt: longAgo))
            }
            #expect(try await eventually { heard.withLock { $0 > 0 } })
            #expect(try await servers[1].claim(owner: "b", now: now).count == 1)
        }
    }

    @Test func `hear of each other's changes, in their order`() async throws {
        try await Servers.run { servers in
            let seen = Mutex<[JobChange]>([])
            servers[1].observeCommits { changes in seen.withLock { $0 += changes } }
            let id = try await servers[0].add(.sample(dueAt: .noon(5))).id
            try await servers[0].move(try await servers[0].claimOne(now: .noon(5)), to: .failed)
            try await servers[0].erase(id)
            #expect(try await eventually { seen.withLock { $0.count == 4 } })
            let changes = seen.withLock { $0 }
            #expect(changes.map(\.state) == [.scheduled, .running, .failed, nil])
            #expect(changes.prefix(3).map(\.revision) == [1, 2, 3])
            #expect(changes[0].dueAt == .noon(5))
            #expect(Set(changes.map(\.id)) == [id])
        }
    }

    @Test func `mark what they hear of others after what they did later`() async throws {
        try await Servers.run { servers in
            let seen = Mutex<[JobChange]>([])
            servers[1].observeCommits { changes in seen.withLock { $0 += changes } }
            for _ in 0..<20 { try await servers[1].cancel(try await servers[0].add(.sample()).id) }
            #expect(try await eventually { seen.withLock { $0.count == 40 } })
            var newest: [JobID: Int64] = [:]
            for change in seen.withLock(\.self) where !change.isOutdated {
                #expect(change.revision > newest.updateValue(change.revision, forKey: change.id) ?? 0)
            }
        }
    }

    @Test func `count the jobs of all, also when they come later`() async throws {
        try await Servers.run { servers in
            for _ in 0..<3 { try await servers[0].add(.sample()) }
            try await servers[1].add(.sample(dueAt: .noon(9)))
            for store in servers.stores {
                #expect(try await eventually { store.counts() == [.queued: 3, .scheduled: 1] })
            }
            // What is folded counts as before.
            let connection = try servers.connection()
            let landed = LandedTable(connection)
            try servers.foldReceipts()
            #expect(try connection.run("SELECT 1 FROM \(servers.schema).landed").count == 0)
            #expect(try landed.counts().counts.byState == [.queued: 3, .scheduled: 1])
            let late = try PostgresJobStore(connection.address, options: PostgresOptions())
            #expect(late.counts() == [.queued: 3, .scheduled: 1])
            try await late.cancel(try await late.add(.sample()).id)
            await late.close()
            #expect(
                try await eventually {
                    servers[0].counts() == [.queued: 3, .scheduled: 1, .cancelled: 1]
                })
        }
    }

    @Test func `hear of requests to the jobs that they run, and not of their own`() async throws {
        try await Servers.run { servers in
            let seen = Mutex<[[RunRequest]]>([[], []])
            for place in 0...1 {
                servers[place].shared?.observeRequests { requests in
                    seen.withLock { $0[place] += requests }
                }
            }
            let id = try await servers[0].add(.sample()).id
            let signal = JournalEntry(
                at: .noon(1), path: [],
                event: .message(JobMessage(by: "ada", content: .signal(name: "go", value: .null))))
            try await servers[1].post(JobPost(id: id, journal: signal))
            let claim = try #require(try await servers[0].claim(owner: "a", now: .noon(1)).first)
            try await servers[1].post(JobPost(id: id, journal: signal))
            try await servers[1].cancel(id)
            #expect(try await eventually { seen.withLock { $0[0].count == 2 } })
            let requests = seen.withLock { $0[0] }
            #expect(requests.map(\.id) == [id, id])
            #expect(requests.first?.number == claim.posts + 1)
            #expect(requests.first?.journal == signal)
            #expect(requests.last?.journal.event == .cancelRequested(by: "ada", reason: nil))
            #expect(requests.last?.number == claim.record.fence)
            #expect(seen.withLock { $0[1].isEmpty })
        }
    }

    @Test func `hear of changed settings`() async throws {
        try await Servers.run { servers in
            let before = servers[1].settingsVersion
            let draft = SettingDraft(kind: .secret, name: "a", updatedAt: .noon, updatedBy: "ada") { _ in [1]
            }
            try await servers[0].perform(draft)
            #expect(try await eventually { servers[1].settingsVersion > before })
            #expect(try servers[1].makeReader().settings(.secret).map(\.name) == ["a"])
        }
    }

    @Test func `take over from one that is dead, and from no other`() async throws {
        try await Servers.run(usesDatabaseClock: true) { servers in
            for name in ["a", "b"] { try await servers[0].add(.sample(name)) }
            // The clocks of the servers do not matter.
            let kept = try #require(
                try await servers[0].claim(limit: 1, owner: "alive", now: .noon, lease: .seconds(600)).first)
            let lost = try #require(
                try await servers[0].claim(limit: 1, owner: "dead", now: .noon(9), lease: .milliseconds(1))
                    .first)
            #expect(
                try await eventually(for: 1) {
                    try await servers[1].recover(besides: "other", now: .noon(-1_000))
                })
            #expect(await refusal { try await servers[0].move(lost, to: .succeeded) } == .staleClaim)
            #expect(await refusal { try await servers[0].renew("dead") } == .leaseLost)
            #expect(await refusal { _ = try await servers[0].claimOnly(as: "dead") } == .leaseLost)
            try await servers[0].move(kept, to: .succeeded)
            let again = try await servers[1].claim(owner: "other")
            #expect(again.map(\.record.id) == [lost.record.id])
            #expect(again.first?.record.fence == 2)
        }
    }

    @Test func `undo claims of which they do not learn whether they were made`() async throws {
        try await Servers.run(1, isHasty: true) { servers in
            let id = try await servers[0].add(.sample()).id
            // The first claim becomes durable when the server has given up.
            let function = "\(servers.schema).slow()"
            try servers.connection().execute(
                """
                CREATE FUNCTION \(function) RETURNS trigger LANGUAGE plpgsql AS
                  $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
                CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON \(servers.schema).ticket
                  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.fence = 1 AND NEW.owner IS NOT NULL)
                  EXECUTE FUNCTION \(function);
                """)
            #expect(await refusal { _ = try await servers[0].claim(owner: "a") } == .unavailable)
            var claims: [Claim] = []
            _ = try await eventually(for: 1) {
                claims = (try? await servers[0].claim(owner: "a")) ?? []
                return claims.count
            }
            #expect(claims.map(\.record.id) == [id])
            #expect(claims.map(\.record.fence) == [2])
        }
    }

    @Test func `end runs of which they do not learn whether an update was made`() async throws {
        try await Servers.run(1, isHasty: true) { servers in
            let id = try await servers[0].add(.sample()).id
            let claim = try #require(try await servers[0].claim(owner: "a").first)
            // The update becomes durable when the server has given up.
            let function = "\(servers.schema).slow()"
            try servers.connection().execute(
                """
                CREATE FUNCTION \(function) RETURNS trigger LANGUAGE plpgsql AS
                  $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
                CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON \(servers.schema).journal
                  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION \(function);
                """)
            let entry = JournalEntry(
                at: .noon, path: [], event: .attemptStarted(number: 1, method: nil, url: nil))
            let update = RunUpdate(claim: claim.key, journal: [entry])
            #expect(await refusal { _ = try await servers[0].update(update) } == .staleClaim)
            var claims: [Claim] = []
            _ = try await eventually(for: 1) {
                claims = (try? await servers[0].claim(owner: "a")) ?? []
                return claims.count
            }
            #expect(claims.map(\.record.id) == [id])
            #expect(claims.map(\.record.fence) == [2])
            #expect(claims.first?.journal.count == 1)
            #expect(await refusal { _ = try await servers[0].update(update) } == .staleClaim)
        }
    }

    @Test func `go on when their connections are cut`() async throws {
        try await Servers.run { servers in
            let id = try await servers[0].add(.sample()).id
            let reader = try servers[1].makeReader()
            #expect(try reader.job(id) != nil)
            try servers.connection().run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
                [.text(servers.schema)])
            #expect(try reader.job(id) != nil)
            #expect(try await servers[0].add(.sample()).state == .queued)
            #expect(try await servers[1].claim(owner: "b").count == 2)
            #expect(servers[0].condition == .sound)
            #expect(try await eventually { servers[0].counts() == [.running: 2] })
        }
    }

    @Test func `lose and double nothing when the database is killed`() async throws {
        let server = try PostgresServer()
        let stores = try (0..<2).map { _ in try PostgresDatabase.open(server.address) }
        let made = try await withThrowingTaskGroup(of: [String: JobID].self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var made: [String: JobID] = [:]
                    for number in 0..<60 {
                        let key = "\(worker) \(number)"
                        // A client repeats its request until it is answered.
                        while made[key] == nil {
                            do {
                                switch try await stores[worker % 2].submit(.sample(key: key)) {
                                case .created(let job), .replayed(let job): made[key] = job.id
                                default: throw Unexpected("another outcome")
                                }
                            } catch let error as JobStoreError where error.code == .unavailable {
                                try await Task.sleep(for: .milliseconds(20))
                            }
                        }
                    }
                    return made
                }
            }
            for _ in 0..<3 {
                try await Task.sleep(for: .milliseconds(150))
                try server.crash(downFor: 0.2)
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        }
        #expect(made.count == 480)
        #expect(try await eventually { stores.allSatisfy { $0.condition == .sound } })
        // All may have been stored before the last crash.
        var connection: PostgresConnection?
        _ = try await eventually {
            connection = try? PostgresConnection(PostgresAddress(server.address))
            return connection != nil
        }
        let rows = try #require(connection).run("SELECT id FROM jobserver.job")
        #expect(Set(rows.ids()) == Set(made.values))
        #expect(rows.count == 480)
        for store in stores {
            #expect(try await eventually { store.counts() == [.queued: 480] })
            await store.close()
        }
    }

    @Test func `suspend a job for a grant that is decided meanwhile, and it goes on`() async throws {
        try await Servers.run { servers in
            for round in 0..<20 {
                let name = "grant-\(round)"
                let job = try await servers[0].add(.sample())
                let claim = try #require(try await servers[0].claim(owner: "a").first)
                _ = try await servers[0].request(
                    name, GrantRequest(job: job.id, scope: nil, at: .noon))
                var standing = RunUpdate.Standing(state: .pending, attempt: 0)
                standing.wakeKeys = [GrantRequest.wakeKey(name)]
                standing.wasStarted = false
                let update = RunUpdate(claim: claim.key, journal: [], standing: standing)
                var grant = GrantRecord(name: name)
                grant.decided = .granted
                async let suspended = servers[0].update(update)
                async let decided = servers[1].put(grant)
                _ = try await (suspended, decided)
                #expect(try servers[0].makeReader().job(job.id)?.state == .queued)
                try await servers[0].cancel(job.id)
            }
        }
    }
}

extension JournalEntry {
    fileprivate static let stop = JournalEntry(
        at: .noon, path: [], event: .cancelRequested(by: "ada", reason: nil))
}
