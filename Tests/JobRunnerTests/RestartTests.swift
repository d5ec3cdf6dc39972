import Dispatch
import EventIO
import HTTPMessage
import JobJournal
import JobKit
import MemoryStore
import StrictJSON
import Synchronization
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `A restart` {
    /// A server whose calls of `hang` URLs never answer.
    private func hanging(_ store: any JobStore, time: ManualClock? = nil) async throws -> Bench {
        try await Bench(store: store, time: time) { call, _ in
            if call.url.contains("hang") { await untilCancelled() }
            return .json(200, #"{"from": "first"}"#)
        }
    }

    /// The same, without a wait before suspects.
    private func watching(_ store: any JobStore) async throws -> Bench {
        var settings = RunnerSettings()
        settings.times.suspectsAfter = .zero
        return try await Bench(store: store, settings: settings) { call, _ in
            if call.url.contains("hang") { await untilCancelled() }
            return .json(200, "{}")
        }
    }

    @Test func `runs jobs suspected of two crashes one by one, and fails the one that crashes again`()
        async throws
    {
        let store = MemoryJobStore()
        let first = try await hanging(store)
        let poison = try await first.submit(#"{"type": "network", "request": "https://x.example/hang/1"}"#)
        let other = try await first.submit(#"{"type": "network", "request": "https://x.example/hang/2"}"#)
        try await settle(while: first.transport.calls.count < 2)
        first.kill()
        let second = try await hanging(store)
        try await settle(while: second.transport.calls.count < 2)
        second.kill()
        for _ in 0..<2 {
            let next = try await watching(store)
            let fresh = try await next.submit(#"{"type": "value", "value": 1}"#)
            #expect(try await next.finished(fresh).state == .succeeded)
            try await settle(while: next.transport.calls.isEmpty)
            #expect(next.transport.calls.map(\.url) == ["https://x.example/hang/1"])
            #expect(try store.makeReader().job(other)?.state == .queued)
            next.kill()
        }
        var settings = RunnerSettings()
        settings.times.suspectsAfter = .zero
        let last = try await Bench(store: store, settings: settings)
        let ended = try await last.finished(poison)
        #expect(ended.state == .failed)
        #expect(ended.error?.code.description == "internal.crashed")
        #expect(try await last.finished(other).state == .succeeded)
        #expect(last.transport.calls.map(\.url) == ["https://x.example/hang/2"])
    }

    private func second(_ store: any JobStore, time: ManualClock? = nil) async throws -> Bench {
        try await Bench(store: store, time: time) { _, _ in .json(200, #"{"from": "second"}"#) }
    }

    @Test func `does not run finished steps again`() async throws {
        let store = MemoryJobStore()
        let first = try await hanging(store)
        let id = try await first.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
                {"type": "network", "name": "a", "request": "https://x.example/a"},
                {"type": "network", "name": "b", "request": "https://x.example/hang"}]}
            """#)
        try await first.noting(id) { $0.contains { $0.isAttempt(of: "b") } }
        first.kill()
        let next = try await second(store)
        let record = try await next.finished(id)
        #expect(record.state == .succeeded)
        #expect(next.transport.calls.map(\.url) == ["https://x.example/hang"])
        let views = try next.views(id)
        #expect(views["b"]?.attempts.map(\.outcome) == [.interrupted, .succeeded])
        #expect(views["b"]?.attempts.first?.delivery == "sent_unknown")
        #expect(views["a"]?.attempts.map(\.outcome) == [.succeeded])
    }

    @Test func `leaves finished steps as they ended when the job was being stopped`() async throws {
        let store = MemoryJobStore()
        let first = try await hanging(store)
        let id = try await first.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
                {"type": "value", "name": "a", "value": 7},
                {"type": "network", "name": "b", "request": "https://x.example/hang"}]}
            """#)
        try await settle(while: first.transport.calls.isEmpty)
        first.kill()
        _ = try await first.cancel(id)
        let next = try await second(store)
        let record = try await next.finished(id)
        #expect(record.state == .cancelled)
        let views = try next.views(id)
        #expect(views["a"]?.state == .succeeded)
        let entries = try store.makeReader().journal(id, after: 0, limit: 100).map(\.entry)
        let ends = entries.filter { entry in
            if entry.path == ["a"], case .finished = entry.event { true } else { false }
        }
        #expect(ends.count == 1)
    }

    @Test func `does not repeat a POST that was in flight, and reports the doubt`() async throws {
        let store = MemoryJobStore()
        let first = try await hanging(store)
        let id = try await first.submit(
            #"{"type": "network", "request": {"method": "POST", "url": "https://x.example/hang"}}"#)
        try await settle(while: first.transport.calls.isEmpty)
        first.kill()
        let next = try await second(store)
        let record = try await next.finished(id)
        let error = record.error
        #expect(record.state == .failed)
        #expect(error?.code.description == "internal.interrupted")
        #expect(error?.delivery == "sent_unknown")
        #expect(error?.retryStoppedBy == "unsafe_method")
        #expect(next.transport.calls.isEmpty)
    }

    @Test func `reports the doubt about a POST also when its job is held`() async throws {
        let store = MemoryJobStore()
        let first = try await hanging(store)
        let id = try await first.submit(
            #"{"type": "network", "request": {"method": "POST", "url": "https://x.example/hang"}}"#)
        try await settle(while: first.transport.calls.isEmpty)
        _ = try await first.hold(id, "wait")
        first.kill()
        let next = try await second(store)
        let record = try await next.finished(id)
        let error = record.error
        #expect(record.state == .failed)
        #expect(error?.delivery == "sent_unknown")
        #expect(next.transport.calls.isEmpty)
    }

    @Test func `does not repeat a POST of which the start before noted no more than that it was cut off`()
        async throws
    {
        let store = MemoryJobStore()
        let first = try await hanging(store)
        let id = try await first.submit(
            #"{"type": "network", "request": {"method": "POST", "url": "https://x.example/hang"}}"#)
        try await settle(while: first.transport.calls.isEmpty)
        first.kill()
        let now = first.now
        var error = AOperationError(.interrupted, detail: "The server stopped.")
        error.delivery = "sent_unknown"
        let record = AttemptRecord(
            number: 1, startedAt: now, finishedAt: now, outcome: .interrupted, error: error)
        let update = RunUpdate(
            claim: ClaimKey(id: id, fence: 1),
            journal: [JournalEntry(at: now, path: [], event: .attemptFinished(record))])
        _ = try await first.reply { store.update(update, reply: $0) }
        let next = try await second(store)
        #expect(try await next.finished(id).state == .failed)
        #expect(next.transport.calls.isEmpty)
    }

    @Test func `shows no attempt that runs on while its job is held`() async throws {
        let store = MemoryJobStore()
        let first = try await hanging(store)
        let id = try await first.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "network", "name": "b", "request": "https://x.example/hang"},
                {"type": "network", "name": "post",
                 "request": {"method": "POST", "url": "https://x.example/hang"}}]}
            """#)
        try await first.noting(id) { $0.contains { $0.isAttempt(of: "b") } }
        _ = try await first.hold(id, "wait")
        first.kill()
        let next = try await second(store)
        _ = try await next.wait(for: id) { $0 == .held }
        let view = try #require(try next.views(id)["b"])
        #expect(view.openAttempt == nil)
        #expect(view.state == .held)
        #expect(view.attempts.map(\.outcome) == [.interrupted])
        #expect(try next.views(id)["post"]?.state == .failed)
        #expect(next.transport.calls.isEmpty)
    }

    @Test func `reports the doubt about a POST that was being cancelled`() async throws {
        let store = MemoryJobStore()
        let first = try await hanging(store)
        let id = try await first.submit(
            #"{"type": "network", "request": {"method": "POST", "url": "https://x.example/hang"}}"#)
        try await settle(while: first.transport.calls.isEmpty)
        first.loop.stop()
        _ = try await first.cancel(id)
        let next = try await second(store)
        #expect(try await next.finished(id).state == .cancelled)
        let attempts = try #require(try next.views(id)[""]).attempts
        #expect(attempts.map(\.outcome) == [.interrupted])
        #expect(attempts.first?.error?.delivery == "sent_unknown")
        #expect(next.transport.calls.isEmpty)
    }

    @Test func `reports the doubt about a POST inside a group that was being cancelled`() async throws {
        let store = MemoryJobStore()
        let first = try await hanging(store)
        let id = try await first.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "network", "name": "post",
                 "request": {"method": "POST", "url": "https://x.example/hang"}},
                {"type": "network", "name": "get", "request": "https://x.example/hang"}]}
            """#)
        try await first.noting(id) { entries in
            ["post", "get"].allSatisfy { name in entries.contains { $0.isAttempt(of: name) } }
        }
        first.loop.stop()
        _ = try await first.cancel(id)
        let next = try await second(store)
        #expect(try await next.finished(id).state == .cancelled)
        let views = try next.views(id)
        for name in ["post", "get"] {
            let view = try #require(views[name])
            #expect(view.state == .cancelled)
            #expect(view.openAttempt == nil)
            #expect(view.attempts.map(\.outcome) == [.interrupted])
        }
        #expect(views["post"]?.attempts.first?.error?.delivery == "sent_unknown")
        #expect(views["get"]?.attempts.first?.error?.delivery == "sent_unknown")
        #expect(next.transport.calls.isEmpty)
    }

    @Test func `repeats a POST that carries an idempotency key, with the same key`() async throws {
        let store = MemoryJobStore()
        let first = try await hanging(store)
        let id = try await first.submit(
            #"{"type": "network", "request": {"method": "POST", "url": "https://x.example/hang", "#
                + #""idempotency_key": "auto"}}"#)
        try await settle(while: first.transport.calls.isEmpty)
        first.kill()
        let next = try await second(store)
        #expect(try await next.finished(id).state == .succeeded)
        let key = first.transport.calls[0].value("idempotency-key")
        #expect(!key.isEmpty)
        #expect(next.transport.calls.map { $0.value("idempotency-key") } == [key])
    }

    @Test func `keeps the due time of a delay`() async throws {
        let time = ManualClock()
        let store = MemoryJobStore(clock: time)
        let first = try await hanging(store, time: time)
        let id = try await first.submit(#"{"type": "delay", "for": "PT1.5S"}"#)
        _ = try await first.wait(for: id) { $0 != .queued && $0 != .running }
        first.kill()
        let next = try await second(store, time: time)
        let record = try await next.finishedInTime(id)
        #expect(record.state == .succeeded)
        let due = try #require(first.changes(of: id).compactMap(\.dueAt).first)
        #expect(record.finishedAt == due)
        #expect(due.since(record.createdAt) == .milliseconds(1_500))
    }

    @Test func `finishes a stop that was asked for before it`() async throws {
        let store = MemoryJobStore()
        let first = try await hanging(store)
        let id = try await first.submit(#"{"type": "network", "request": "https://x.example/hang"}"#)
        try await settle(while: first.transport.calls.isEmpty)
        first.loop.stop()
        _ = try await first.cancel(id)
        let next = try await second(store)
        #expect(try await next.finished(id).state == .cancelled)
        #expect(next.transport.calls.isEmpty)
    }

    @Test func `after a drain resumes the jobs where they were`() async throws {
        let store = MemoryJobStore()
        let first = try await hanging(store)
        let id = try await first.submit(#"{"type": "network", "request": "https://x.example/hang"}"#)
        try await settle(while: first.transport.calls.isEmpty)
        await first.runner.drain(within: .milliseconds(50))
        #expect(try store.makeReader().job(id)?.state == .queued)
        first.kill()
        let next = try await second(store)
        #expect(try await next.finished(id).state == .succeeded)
    }

    @Test func `after a drain finds no half-done job that was being claimed when it began`() async throws {
        let bench = try await Bench()
        let (mayTake, mayBegin) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // Waits here already when the job comes, so that no other job is claimed with it.
        await withCheckedContinuation { isWaiting in
            bench.loop.execute {
                isWaiting.resume()
                mayTake.wait()
            }
        }
        let id = try await bench.submit(#"{"type": "network", "request": "https://x.example/"}"#)
        bench.loop.execute { mayBegin.wait() }
        mayTake.signal()
        let reader = try bench.store.makeReader()
        try await settle(while: reader.job(id)?.state != .running)
        let drained = Task {
            await bench.runner.drain(within: .seconds(20))
            return try reader.job(id)?.state
        }
        try await settle(while: !bench.runner.state.withLock(\.isDraining))
        mayBegin.signal()
        #expect(try await drained.value == .succeeded)
    }

    @Test func `retries only unsuccessful operations at a person's request`() async throws {
        let store = MemoryJobStore()
        let bench = try await Bench(store: store) { call, before in
            call.url.hasSuffix("/b") && before == 0 ? .json(404, "{}") : .json(200, "{}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "network", "name": "a", "request": "https://x.example/a"},
                {"type": "network", "name": "b", "request": "https://x.example/b"},
                {"type": "network", "name": "c", "request": "https://x.example/c", "after": ["b"]}]}
            """#)
        #expect(try await bench.finished(id).state == .failed)
        let entry = JournalEntry(at: SystemClock().now, path: [], event: .retried(by: "test"))
        try await store.perform(JobRetry(id, journal: entry))
        #expect(try await bench.finished(id).state == .succeeded)
        #expect(bench.transport.count(of: "https://x.example/a") == 1)
        #expect(bench.transport.count(of: "https://x.example/b") == 2)
        #expect(bench.transport.count(of: "https://x.example/c") == 1)
    }

    @Test func `that cut an attempt off leaves it its number in the next try`() async throws {
        let store = MemoryJobStore()
        let first = try await hanging(store)
        let id = try await first.submit(
            #"{"type": "network", "request": {"method": "POST", "url": "https://x.example/hang"}}"#)
        try await settle(while: first.transport.calls.isEmpty)
        first.kill()
        _ = try await first.cancel(id)
        let next = try await second(store)
        #expect(try await next.finished(id).state == .cancelled)
        let entry = JournalEntry(at: SystemClock().now, path: [], event: .retried(by: "test"))
        try await store.perform(JobRetry(id, journal: entry))
        let record = try await next.finished(id)
        #expect(record.state == .succeeded)
        #expect(record.attempt == 2)
        #expect(next.transport.calls.count == 1)
        let attempts = try #require(try next.views(id)[""]).attempts
        #expect(attempts.map(\.number) == [1, 2])
        #expect(attempts.map(\.outcome) == [.interrupted, .succeeded])
    }
}

extension Bench {
    /// Returns when the journal of a job satisfies a condition.
    fileprivate func noting(_ id: JobID, _ holds: ([JournalEntry]) -> Bool) async throws {
        let reader = try store.makeReader()
        for _ in 0..<20_000 {
            if holds(try reader.journal(id, after: 0, limit: 100).map(\.entry)) { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        Issue.record("The journal did not come so far.")
    }
}

extension JournalEntry {
    /// Whether this is the beginning of an attempt of a member of the root.
    fileprivate func isAttempt(of name: String) -> Bool {
        if case .attemptStarted = event { return path == [name] }
        return false
    }
}
