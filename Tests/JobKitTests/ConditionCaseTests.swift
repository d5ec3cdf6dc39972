import HTTPMessage
import StrictJSON
import Synchronization
import Testing
import TestOperations

@testable import JobKit

/// Reaches some hosts and not others, and counts its attempts.
private final class Net: Transport {
    let tried = Record<String>()
    let down: String

    init(down: String) { self.down = down }

    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        HTTPCallAnswer(status: 200, fields: [], body: [], exchange: HTTPCallExchange())
    }

    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {
        tried.append(probe.url)
        guard probe.url.contains(down) else { return }
        throw HTTPCallFailure(
            code: "connect.refused", detail: "There is no listener.", phase: .connect, delivery: .notSent)
    }
}

/// Holds the entries of earlier runs, and records those of this one.
private final class Notebook: OperationJournal {
    let fold: JournalFold
    let written = Record<JournalEntry>()
    init(_ past: [JournalEntry] = []) { fold = JournalFold(past) }
    func record(_ entry: JournalEntry) { written.append(entry) }
    func flush() async throws(RunSuspended) {}
    func history(of path: [String]) -> OperationHistory? { fold.histories[path] }
    func note(taken: Set<ByteKey>, freed: Set<ByteKey>, by path: [String]) {}
}

private struct Needing: PrerequisiteCondition {
    let needed: Prerequisite
    func prerequisites(in context: ConditionContext) async -> [Prerequisite] { [needed] }
}

@Suite struct `Conditions among operations` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `do not delay a cancellation on a full and suspended queue`() async {
        let queue = AOperationQueue(capacity: 1, environment: OperationEnvironment(clock: clock))
        let asked = Record<Int>()
        let a = queue.add(Endless(name: "a"))
        await clock.waitForSleepers()
        let b = queue.add(
            Giving(1, name: "b").after(a)
                .condition(
                    ClosureCondition("c") { _ in
                        asked.append(1)
                        return true
                    }))
        queue.isSuspended = true
        b.cancel()
        #expect(b.ending?.state == .cancelled)
        #expect(a.ending == nil)
        #expect(asked.all.isEmpty)
        queue.isSuspended = false
        a.cancel()
        await queue.waitUntilDrained()
    }

    @Test func `of two hosts name the unreachable one`() async {
        let net = Net(down: "h2")
        let queue = AOperationQueue(environment: OperationEnvironment(clock: clock, transport: net))
        let places = ["h1", "h2"].map {
            ReachabilityCondition(HTTPReachabilityProbe(url: "http://\($0).example/", depth: .tcp))
        }
        let handle = queue.add(
            Giving(1).condition(places[0]).condition(places[1]).condition(places[0]))
        let ending = await handle.waitUntilFinished()
        #expect(net.tried.all.sorted() == ["http://h1.example/", "http://h2.example/"])
        #expect(ending.errors.map(\.code) == [.conditionUnreachable])
        #expect(ending.errors.first?.detail.contains("h2.example") == true)
    }

    @Test func `on failed dependencies name a group with a failed member`() async {
        let queue = queue
        let group = queue.add(GroupOperation("g") { $0.add(Failing(name: "leaf")) })
        let fine = queue.add(GroupOperation("fine") { $0.add(Giving(1)) })
        let target = queue.add(
            Giving(1).after(group, on: .finished).after(fine, on: .finished)
                .condition(NoFailedDependencies()))
        let error = await target.waitUntilFinished().errors.first
        #expect(error?.detail == "Not every dependency succeeded: g failed.")
        #expect(error?.causes.map(\.publisher) == ["leaf"])
    }

    @Test func `let a delay after a finished operation run to its end`() async throws {
        let queue = queue
        let before = queue.add(Giving(1, name: "before"))
        _ = try await before.value
        let delay = queue.add(
            DelayOperation(.after(.seconds(5))).after(before).condition(NoFailedDependencies()))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        #expect(await delay.waitUntilFinished().state == .succeeded)
    }

    @Test func `do not repeat their prerequisites of an earlier run`() async throws {
        let path = ["target", "ask@conditions[0]"]
        let past = JournalEntry(
            at: clock.now, path: path, event: .finished(OperationEnding(state: .succeeded)))
        for (entries, expected) in [([], 1), ([past], 0)] {
            let notebook = Notebook(entries)
            var environment = OperationEnvironment(clock: clock)
            environment.journal = notebook
            let ran = Record<Int>()
            let condition = Needing(needed: Prerequisite(ClosureOperation("ask") { _ in ran.append(1) }))
            let handle = AOperationQueue(environment: environment).add(
                GroupOperation("root") { $0.add(Giving(1, name: "target").condition(condition)) })
            #expect(await handle.waitUntilFinished().state == .succeeded)
            #expect(ran.all.count == expected)
            let ends = notebook.written.all.filter { entry in
                if case .finished = entry.event { entry.path == path } else { false }
            }
            #expect(ends.count == expected)
        }
    }

    @Test func `leave their operation idle as long as their prerequisite waits`() async {
        let queue = queue
        let begin = clock.now
        let condition = Needing(needed: Prerequisite(DelayOperation(.after(.seconds(60)))))
        let target = queue.add(Giving(1).condition(condition).condition(ClosureCondition("y") { _ in true }))
        await clock.waitForSleepers()
        while target.core.idleUntil() == nil { await Task.yield() }
        #expect(target.core.idleUntil() == begin.advanced(by: .seconds(60)))
        clock.advance(by: .seconds(60))
        #expect(await target.waitUntilFinished().state == .succeeded)
    }
}
