import DurableJobs
import Foundation
import HTTPMessage
import JobKit
import JobSpec
import StrictJSON
import Synchronization
import Testing

/// Durable jobs in a program.
@Suite(.timeLimit(.minutes(2))) struct `Durable jobs` {
    private let scene = EngineScene()

    // MARK: Submitting

    @Test func `a kind gets its parameters as they were, and its result has its type`() async throws {
        let jobs = try await scene.start()
        let born = Date(timeIntervalSince1970: 1_000_000_000.125)
        let person = EngineScene.Person(name: "Ada", born: born, friends: ["Charles"])
        let job = try await jobs.submit(scene.greet, person)
        #expect(try await job.value == EngineScene.Greeting(text: "Hello, Ada!", person: person))
        let status = try await job.status
        #expect(status.state == .succeeded)
        #expect(status.type == "greet")
        #expect(status.attempt == 1)
        #expect(status.error == nil)
        await jobs.stop()
    }

    @Test func `a spec is submitted as a value or as text, and kinds work in groups`() async throws {
        let jobs = try await scene.start()
        let value = try await jobs.submit(["type": "value", "value": ["a": 1]])
        #expect(String(decoding: try await value.value.body, as: UTF8.self) == #"{"a":1}"#)
        let group = try await jobs.submit(
            json: """
                { "type": "group", "operations": [
                    { "type": "value", "name": "pause", "value": 20 },
                    { "type": "count", "parameters": { "$get": "pause", "at": "/body" } } ] }
                """)
        #expect(try await group.waitUntilFinished().state == .succeeded)
        #expect(await scene.counter.value == 1)
        await jobs.stop()
    }

    @Test func `settings are members of the spec, and their mistakes are named`() async throws {
        let jobs = try await scene.start()
        let job = try await jobs.submit(
            scene.quiet, true,
            settings: [
                "name": "hush", "queue": "low", "queue_key": "k", "labels": ["team": "a"],
                "metadata": ["n": 1],
                "run_at": "1h",
            ])
        let status = try await job.status
        #expect(status.name == "hush" && status.queue == "low" && status.queueKey == "k")
        #expect(status.labels == ["team": "a"])
        #expect(status.metadata == ["n": 1])
        #expect(status.state == .scheduled)
        #expect(status.dueAt != nil)
        let wrong = await #expect(throws: JobEngineError.self) {
            try await jobs.submit(scene.quiet, true, settings: ["qeue": "low", "priority": 11])
        }
        #expect(wrong?.code == .invalidSpec)
        #expect(wrong?.problems.map(\.pointer.description) == ["/qeue", "/priority"])
        let taken = await #expect(throws: JobEngineError.self) {
            try await jobs.submit(scene.quiet, true, settings: ["type": "delay"])
        }
        #expect(taken?.detail == "settings must not have \"type\": the kind says it.")
        await jobs.stop()
    }

    @Test func `parameters that cannot be decoded are refused with their position`() async throws {
        let jobs = try await scene.start()
        func problem(_ json: String) async -> SpecProblem? {
            let error = await #expect(throws: JobEngineError.self) { try await jobs.submit(json: json) }
            #expect(error?.code == .invalidSpec)
            #expect(error?.problems.count == 1)
            return error?.problems.first
        }
        let missing = await problem(#"{"type": "greet", "parameters": {"friends": []}}"#)
        #expect(missing?.pointer.description == "/parameters")
        #expect(missing?.code == "spec.missing_member")
        #expect(missing?.detail == "\"name\" is missing.")
        let wrong = await problem(
            #"{"type": "group", "operations": [{"type": "greet", "parameters": {"name": "a", "friends": [1]}}]}"#
        )
        #expect(wrong?.pointer.description == "/operations/0/parameters/friends/0")
        #expect(wrong?.code == "spec.wrong_type")
        let date = await problem(
            #"{"type": "greet", "parameters": {"name": "a", "friends": [], "born": "yesterday"}}"#)
        #expect(date?.pointer.description == "/parameters/born")
        let none = await problem(#"{"type": "greet"}"#)
        #expect(none?.code == "spec.missing_member")
        let unknown = await problem(#"{"type": "gret", "parameters": 1}"#)
        #expect(unknown?.code == "spec.unknown_type")
        let text = await problem("{\"type\": \"greet\",\n oops}")
        #expect(text?.detail.contains("line 2") == true)
        let callbacks = await problem(
            #"{"type": "quiet", "parameters": true, "callbacks": ["https://a.example/"]}"#)
        #expect(callbacks?.pointer.description == "/callbacks")
        #expect(try await jobs.list().jobs.isEmpty)
        await jobs.stop()
    }

    @Test func `parameters from another operation are checked when it runs`() async throws {
        let jobs = try await scene.start()
        let job = try await jobs.submit(
            json: """
                { "type": "group", "operations": [
                    { "type": "value", "name": "who", "value": 7 },
                    { "type": "greet", "parameters":
                        { "name": { "$get": "who", "at": "/body" }, "friends": [] } } ] }
                """)
        let error = await #expect(throws: AOperationError.self) { try await job.value }
        #expect(error?.code == .referenceMissing)
        #expect(error?.detail.contains("At \"/parameters/name\"") == true)
        await jobs.stop()
    }

    @Test func `parameters that a spec would take as a reference are refused`() async throws {
        let jobs = try await scene.start()
        let kind = DurableKind.withoutResult("quiet") { (_: [String: String], _) in }
        let error = await #expect(throws: JobEngineError.self) {
            try await jobs.submit(kind, ["$job": "id"])
        }
        #expect(error?.code == .invalidSpec)
        #expect(error?.detail.contains("Give it another name.") == true)
        await jobs.stop()
    }

    @Test func `a repeated idempotency key finds its job, or is refused`() async throws {
        let jobs = try await scene.start()
        let first = try await jobs.submit(scene.count, 0, idempotencyKey: "order-1")
        #expect(try await first.value == 1)
        #expect(try await jobs.submit(scene.count, 0, idempotencyKey: "order-1").id == first.id)
        let other = await #expect(throws: JobEngineError.self) {
            try await jobs.submit(scene.count, 1, idempotencyKey: "order-1")
        }
        #expect(other?.code == .keyReused(first.id))
        let bad = await #expect(throws: JobEngineError.self) {
            try await jobs.submit(scene.count, 1, idempotencyKey: "")
        }
        #expect(bad?.code == .invalidSpec)
        await jobs.stop()
        let again = try await scene.start()
        #expect(try await again.submit(scene.count, 0, idempotencyKey: "order-1").id == first.id)
        #expect(await scene.counter.value == 1)
        await again.stop()
    }

    @Test func `one unfinished job has a unique key; others are refused, join or replace it`() async throws {
        let jobs = try await scene.start()
        let holder = try await jobs.submit(scene.block, "a", settings: ["unique": "u"])
        let refused = await #expect(throws: JobEngineError.self) {
            try await jobs.submit(scene.quiet, true, settings: ["unique": "u"])
        }
        #expect(refused?.code == .uniqueTaken(holder.id))
        let joined = try await jobs.submit(
            scene.block, "b", settings: ["unique": ["key": "u", "on_conflict": "join"]])
        #expect(joined.id == holder.id)
        #expect(try await holds { await scene.counter.value == 1 })
        let next = try await jobs.submit(
            scene.quiet, true, settings: ["unique": ["key": "u", "on_conflict": "replace"]])
        #expect(try await next.waitUntilFinished().state == .succeeded)
        #expect(try await holder.waitUntilFinished().error?.code == .cancelledReplaced)
        await jobs.stop()
    }

    @Test func `a thousand submissions and waits at once each get their own result`() async throws {
        let jobs = try await scene.start()
        let greet = scene.greet
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let job = try await jobs.submit(greet, .init(name: "\(number)"))
                    return try await job.value.text == "Hello, \(number)!"
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        var query = JobQuery(states: [.succeeded])
        query.limit = 500
        var count = 0
        repeat {
            let page = try await jobs.list(query)
            count += page.jobs.count
            query.after = page.next
        } while query.after != nil
        #expect(count == 1_000)
        await jobs.stop()
    }

    @Test func `calls reach every address, unless a policy closes it`() async throws {
        let spec: JSONValue = [
            "type": "network", "request": "http://127.0.0.1:1/", "retry": ["max_attempts": 1],
        ]
        let open = try await scene.start()
        let error = await #expect(throws: AOperationError.self) { try await open.submit(spec).value }
        #expect(error?.code == "connect.refused")
        await open.stop()
        var options = JobEngine.Options()
        options.egress = EgressPolicy()
        let closed = try await JobEngine.start(at: scene.directory, options: options)
        let refused = await #expect(throws: JobEngineError.self) { try await closed.submit(spec) }
        #expect(refused?.problems.map(\.code) == ["egress.blocked"])
        await closed.stop()
    }

    // MARK: Waiting and cancelling

    @Test func `cancelling a waiting task ends the wait, not the job`() async throws {
        let jobs = try await scene.start()
        let job = try await jobs.submit(scene.block, "a")
        let waits = [
            Task { _ = try await job.value }, Task { _ = try await job.waitUntilFinished() },
            Task { for try await _ in job.changes {} },
        ]
        #expect(try await holds { try await job.status.state == .running })
        for wait in waits { wait.cancel() }
        await #expect(throws: CancellationError.self) { try await waits[0].value }
        await #expect(throws: CancellationError.self) { try await waits[1].value }
        try await waits[2].value
        #expect(try await job.status.state == .running)
        try await job.cancel(reason: "It is late.")
        let end = try await job.waitUntilFinished()
        #expect(end.state == .cancelled)
        #expect(end.error?.code == .cancelledUser)
        #expect(end.error?.detail.hasSuffix(" was cancelled: It is late.") == true)
        await #expect(throws: AOperationError.self) { try await job.value }
        try await job.cancel()
        #expect(try await job.status.state == .cancelled)
        await jobs.stop()
    }

    @Test func `a job that has not begun is cancelled at once`() async throws {
        let jobs = try await scene.start()
        let job = try await jobs.submit(scene.quiet, true, settings: ["run_at": "1h"])
        try await job.cancel()
        #expect(try await job.waitUntilFinished().state == .cancelled)
        await jobs.stop()
    }

    @Test func `a failing kind is tried again as its retry rule says`() async throws {
        let jobs = try await scene.start()
        let rule: JSONValue = ["max_attempts": 3, "backoff": "10ms"]
        let good = try await jobs.submit(scene.fail, 3, settings: ["retry": rule])
        #expect(try await good.value == 3)
        let bad = try await jobs.submit(scene.fail, 9, settings: ["retry": rule])
        let error = await #expect(throws: AOperationError.self) { try await bad.value }
        #expect(error?.detail.contains("It is refused.") == true)
        #expect(try await bad.status.attempt == 3)
        let single = try await jobs.submit(scene.fail, 2)
        #expect(try await single.waitUntilFinished().attempt == 1)
        try await single.retry()
        #expect(try await single.value == 2)
        let wrong = await #expect(throws: JobEngineError.self) { try await good.retry() }
        #expect(wrong?.code == .wrongState(.succeeded))
        await jobs.stop()
    }

    @Test func `an error of its own is retried on disk as in memory`() async throws {
        let tries = Mutex<[String: Int]>([:])
        let work = { @Sendable (place: String, retryable: Bool?) in
            tries.withLock { $0[place, default: 0] += 1 }
            throw AOperationError("smtp.down", detail: "It is down.", retryable: retryable)
        }
        struct Mail: Codable { var retryable: Bool? }
        let mail = DurableKind<Mail, NoResult>.withoutResult("mail") { mail, _ in
            try work("disk \(mail.retryable.map(String.init) ?? "nil")", mail.retryable)
        }
        let directory = NSTemporaryDirectory() + "mail-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let jobs = try await JobEngine.start(at: directory, kinds: [mail.kind])
        let queue = AOperationQueue()
        for said in [nil, true, false] as [Bool?] {
            let job = try await jobs.submit(
                mail, Mail(retryable: said), settings: ["retry": ["max_attempts": 5, "backoff": "1ms"]])
            _ = try await job.waitUntilFinished()
            let words = said.map(String.init) ?? "nil"
            _ = await queue.add(
                ClosureOperation { _ in try work("memory \(words)", said) }.retry(attempts: 5)
            ).waitUntilFinished()
            let counts = tries.withLock { [$0["disk \(words)"], $0["memory \(words)"]] }
            #expect(counts == (said == false ? [1, 1] : [5, 5]))
        }
        await jobs.stop()
    }

    // MARK: Observing and listing

    @Test func `events tell each change of each job until the engine stops`() async throws {
        let jobs = try await scene.start()
        let events = jobs.events
        let job = try await jobs.submit(scene.count, 300)
        let other = try await jobs.submit(scene.quiet, true, settings: ["name": "other"])
        _ = try await other.value
        _ = try await job.value
        await jobs.stop()
        var seen: [JobID: [JobState?]] = [:]
        for await event in events { seen[event.id, default: []].append(event.state) }
        #expect(seen.count == 2)
        #expect(seen[job.id]?.last == .succeeded)
        #expect(seen[job.id]?.contains(.running) == true)
        #expect(seen[other.id]?.last == .succeeded)
        var late = 0
        for await _ in jobs.events { late += 1 }
        #expect(late == 0)
    }

    @Test func `the changes of a job begin with what it is and end with its end`() async throws {
        let jobs = try await scene.start()
        let job = try await jobs.submit(
            scene.fail, 2,
            settings: ["retry": ["max_attempts": 2, "backoff": "2s", "jitter": "none"]])
        var states: [JobState] = []
        for try await status in job.changes { states.append(status.state) }
        #expect(states.last == .succeeded)
        #expect(states.contains(.retrying))
        var after: [JobState] = []
        for try await status in job.changes { after.append(status.state) }
        #expect(after == [.succeeded])
        await jobs.stop()
    }

    @Test func `lists select by state, kind and labels, page by page`() async throws {
        let jobs = try await scene.start()
        for number in 0..<5 {
            let job = try await jobs.submit(
                scene.count, 0, settings: ["labels": ["parity": .string(number % 2 == 0 ? "even" : "odd")]])
            _ = try await job.value
        }
        // Jobs of one millisecond are listed in any order.
        try await Task.sleep(for: .milliseconds(2))
        let waiting = try await jobs.submit(scene.quiet, true, settings: ["run_at": "1h"])
        #expect(try await jobs.list().jobs.count == 6)
        #expect(try await jobs.list().jobs.first?.id == waiting.id)
        #expect(try await jobs.list(JobQuery(states: [.scheduled])).jobs.map(\.id) == [waiting.id])
        var query = JobQuery(states: [.succeeded], type: "count")
        query.labels = ["parity": "even"]
        query.limit = 2
        query.isOldestFirst = true
        let first = try await jobs.list(query)
        #expect(first.jobs.count == 2)
        query.after = first.next
        #expect(query.after != nil)
        #expect(try await jobs.list(query).jobs.count == 1)
        await jobs.stop()
    }

    @Test func `a job is found by its id, with the result of its kind only`() async throws {
        let jobs = try await scene.start()
        let job = try await jobs.submit(scene.count, 0)
        #expect(try await jobs.job(job.id, of: scene.count)?.value == 1)
        #expect(try await jobs.job(job.id, of: scene.greet) == nil)
        let read = try #require(JobID("\(job.id)"))
        #expect(try await jobs.job(read)?.status.state == .succeeded)
        #expect(try await jobs.job(JobID(high: 1, low: 1)) == nil)
        await jobs.stop()
    }
}
