import DurableJobs
import Foundation
import JobKit
import JobSpec
import StrictJSON
import Testing

/// Engines one after the other, and two at once.
@Suite(.timeLimit(.minutes(2))) struct `Restarts of durable jobs` {
    private let scene = EngineScene()

    @Test func `a job that was stopped in the middle is run again by the next start`() async throws {
        let first = try await scene.start(drainTimeout: .zero)
        let job = try await first.submit(scene.count, 700)
        #expect(try await holds { await scene.counter.value == 1 })
        await first.stop()
        #expect(await scene.counter.value == 1)
        let second = try await scene.start()
        let again = try #require(try await second.job(job.id, of: scene.count))
        #expect(try await again.value == 2)
        await second.stop()
        let third = try await scene.start()
        #expect(try await third.job(job.id, of: scene.count)?.value == 2)
        #expect(await scene.counter.value == 2)
        await third.stop()
    }

    @Test func `a kind that must not be repeated ends as interrupted`() async throws {
        let first = try await scene.start(drainTimeout: .zero)
        let job = try await first.submit(scene.once, true)
        #expect(try await holds { try await job.status.state == .running })
        #expect(try await holds { try await job.status.attempt == 1 })
        await first.stop()
        let second = try await scene.start()
        let again = try #require(try await second.job(job.id))
        #expect(try await again.waitUntilFinished().error?.code == .interrupted)
        await second.stop()
    }

    @Test func `a job without its kind stays, says so, and runs with the kind`() async throws {
        let first = try await scene.start()
        let job = try await first.submit(scene.greet, .init(name: "Ada"), settings: ["run_at": "2s"])
        await first.stop()
        let second = try await scene.start(without: ["greet"])
        let there = try #require(try await second.job(job.id))
        let error = await #expect(throws: AOperationError.self) { try await there.value }
        #expect(error?.code == .kindMissing)
        #expect(error?.detail.contains("the kind \"greet\"") == true)
        let refused = await #expect(throws: JobEngineError.self) {
            try await second.submit(scene.greet, .init(name: "Ada"))
        }
        #expect(refused?.problems.first?.code == "spec.unknown_type")
        await second.stop()
        let third = try await scene.start()
        let again = try #require(try await third.job(job.id, of: scene.greet))
        try await again.retry()
        #expect(try await again.value.text == "Hello, Ada!")
        await third.stop()
    }

    @Test func `the second engine on a directory is refused while the first one runs`() async throws {
        let first = try await scene.start()
        let refused = await #expect(throws: JobEngineError.self) { try await scene.start() }
        #expect(refused?.code == .inUse)
        #expect(refused?.detail.contains(scene.directory) == true)
        #expect(refused?.localizedDescription == refused?.detail)
        #expect(refused?.detail.contains("(process \(ProcessInfo.processInfo.processIdentifier))") == true)
        #expect(try await first.submit(scene.quiet, true).waitUntilFinished().state == .succeeded)
        await first.stop()
        let second = try await scene.start()
        await second.stop()
    }

    @Test func `an engine that has stopped leaves nothing open behind, and no threads`() async throws {
        let files = FileManager.default
        func open() throws -> [String] {
            try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
            }
        }
        func loops() throws -> Int { try open().count { $0.contains("[eventpoll]") } }
        var before: (threads: Int, loops: Int)?
        for round in 0..<12 {
            let jobs = try await scene.start()
            _ = try await jobs.submit(scene.quiet, true).value
            await jobs.stop()
            if round == 1 {
                before = (try files.contentsOfDirectory(atPath: "/proc/self/task").count, try loops())
            }
        }
        let start = try #require(before)
        // Others may begin a few meanwhile.
        #expect(try files.contentsOfDirectory(atPath: "/proc/self/task").count - start.threads < 10)
        #expect(try loops() - start.loops < 8)
        let left = try open().filter { $0.contains(scene.directory) }
        #expect(left == [])
    }

    @Test func `engines on directories of their own know nothing of each other`() async throws {
        let other = EngineScene()
        let (first, second) = (try await scene.start(), try await other.start())
        let job = try await first.submit(scene.quiet, true)
        _ = try await job.value
        #expect(try await second.job(job.id) == nil)
        await first.stop()
        #expect(try await second.submit(other.quiet, true).waitUntilFinished().state == .succeeded)
        await second.stop()
    }

    @Test func `unusable directories, kinds and options are refused`() async throws {
        let missing = await #expect(throws: JobEngineError.self) {
            try await JobEngine.start(at: scene.directory + "/a/b")
        }
        #expect(missing?.code == .unavailable)
        let twice = await #expect(throws: JobEngineError.self) {
            try await JobEngine.start(at: scene.directory, kinds: [scene.greet.kind, scene.greet.kind])
        }
        #expect(twice?.code == .invalidOptions)
        let builtIn = await #expect(throws: JobEngineError.self) {
            let kind = DurableKind.withoutResult("delay") { (_: Bool, _) in }
            return try await JobEngine.start(at: scene.directory, kinds: [kind.kind])
        }
        #expect(builtIn?.detail.contains("is built in") == true)
        var options = JobEngine.Options()
        options.concurrency = 0
        let range = await #expect(throws: JobEngineError.self) {
            try await JobEngine.start(at: scene.directory, options: options)
        }
        #expect(range?.code == .invalidOptions)
    }

    // MARK: The life of a service

    @Test func `cancelling run drains the running jobs and frees the directory`() async throws {
        let jobs = try await scene.start()
        let service = Task { await jobs.run() }
        let job = try await jobs.submit(scene.count, 500)
        let later = try await jobs.submit(scene.quiet, true, settings: ["run_at": "1h"])
        #expect(try await holds { await scene.counter.value == 1 })
        service.cancel()
        await service.value
        let refused = await #expect(throws: JobEngineError.self) { try await jobs.submit(scene.quiet, true) }
        #expect(refused?.code == .stopped)
        let status = await #expect(throws: JobEngineError.self) { try await job.status }
        #expect(status?.code == .stopped)
        let next = try await scene.start()
        #expect(try await next.job(job.id)?.status.state == .succeeded)
        #expect(try await next.job(later.id)?.status.state == .scheduled)
        #expect(await scene.counter.value == 1)
        await next.stop()
    }

    @Test func `a job that outlasts the drain is left to the next start`() async throws {
        let jobs = try await scene.start(drainTimeout: .milliseconds(100))
        let service = Task { await jobs.run() }
        let job = try await jobs.submit(scene.block, "a")
        #expect(try await holds { await scene.counter.value == 1 })
        service.cancel()
        await service.value
        let next = try await scene.start(drainTimeout: .zero)
        let again = try #require(try await next.job(job.id))
        #expect(try await holds { await scene.counter.value == 2 })
        try await again.cancel()
        #expect(try await again.waitUntilFinished().state == .cancelled)
        await next.stop()
    }

    @Test func `stop ends run and everything that waits, and may be called twice`() async throws {
        let jobs = try await scene.start(drainTimeout: .zero)
        let service = Task { await jobs.run() }
        let job = try await jobs.submit(scene.block, "a")
        let wait = Task { try await job.value }
        let changes = Task { for try await _ in job.changes {} }
        #expect(try await holds { await scene.counter.value == 1 })
        async let one: Void = jobs.stop()
        async let two: Void = jobs.stop()
        _ = await (one, two)
        await service.value
        let error = await #expect(throws: JobEngineError.self) { try await wait.value }
        #expect(error?.code == .stopped)
        let ended = await #expect(throws: JobEngineError.self) { try await changes.value }
        #expect(ended?.code == .stopped)
        await jobs.run()
        let list = await #expect(throws: JobEngineError.self) { try await jobs.list() }
        #expect(list?.code == .stopped)
    }
}
