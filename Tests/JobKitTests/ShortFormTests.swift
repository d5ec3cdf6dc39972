import HTTPMessage
import Testing
import TestOperations

@testable import JobKit

/// Reaches one place only.
private struct OnePlace: Transport {
    let url: String

    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        throw HTTPCallFailure(
            code: "connect.refused", detail: "No.", phase: .connect, delivery: .notSent)
    }

    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {
        guard probe.url == url, probe.depth == .tcp else {
            throw HTTPCallFailure(
                code: "connect.refused", detail: "Not \(probe.url).", phase: .connect, delivery: .notSent)
        }
    }
}

@Suite struct `A short form` {
    let queue = AOperationQueue(
        environment: OperationEnvironment(
            clock: ManualClock(), transport: OnePlace(url: "https://a.example")))

    @Test func `of reachability takes a host, a port or a URL`() async {
        let there = queue.add(Giving(1).condition(.reachable("a.example")))
        #expect(await there.waitUntilFinished().state == .succeeded)
        for place in ["b.example", "a.example:5432", "http://a.example"] {
            let absent = queue.add(Giving(1).condition(.reachable(place)))
            let error = await absent.waitUntilFinished().errors.first
            #expect(error?.code == .conditionUnreachable)
            #expect(error?.detail.contains(place) == true)
        }
    }

    @Test func `is the condition of that name`() async {
        let no = ClosureCondition("no") { _ in false }
        let excluded = Giving(1).condition(.exclusive("k")).recipe
        #expect(excluded.settings.conditions.map(\.exclusionKeys) == [["k"]])
        let words = [
            await word(.noFailedDependencies), await word(.noCancelledDependencies),
            await word(.not(no)), await word(.not(.noFailedDependencies)), await word(.ignored(no)),
            await word(.silent(no)), await word(.all(no, MutualExclusion("k"))),
            await word(.any(no, NoFailedDependencies())),
        ]
        let wanted = """
            succeeded, succeeded, succeeded, failed not(no_failed_dependencies), \
            skipped no, failed no, failed all(no, lock), succeeded
            """
        #expect(words.joined(separator: ", ") == wanted)
    }

    private func word(_ condition: some OperationCondition) async -> String {
        let ending = await queue.add(Giving(1).condition(condition)).waitUntilFinished()
        return ([ending.state.rawValue] + ending.errors.compactMap(\.publisher)).joined(separator: " ")
    }

    @Test func `of a time window and of a confirmation ask as these do`() async throws {
        let inbox = ConfirmationInbox()
        let purge = queue.add(
            Giving(7).condition(.confirmed(ConfirmationQuestion(id: "p", title: "Purge?"), at: inbox)))
        while inbox.openQuestions.isEmpty { await Task.yield() }
        try inbox.answer("p", .approved(by: "ada"))
        #expect(try await purge.value == 7)
    }

    @Test func `of several dependencies needs all of them`() async {
        let (latch, order) = (Latch(), Record<String>())
        let numbers = (0..<3).map { index in
            queue.add(
                ClosureOperation("n\(index)") { _ in
                    await latch.wait()
                    order.append("dependency")
                })
        }
        let text = queue.add(Giving("text"))
        let many = queue.add(ClosureOperation("many") { _ in order.append("dependant") }.after(numbers))
        let mixed = queue.add(
            ClosureOperation("mixed") { _ in order.append("dependant") }.after(numbers[0], text, numbers[1]))
        #expect(many.ending == nil && mixed.ending == nil)
        latch.open()
        #expect(await many.waitUntilFinished().state == .succeeded)
        #expect(await mixed.waitUntilFinished().state == .succeeded)
        #expect(order.all.prefix(2) == ["dependency", "dependency"])
        let none: [OperationHandle<Int>] = []
        #expect(await queue.add(Giving(1).after(none)).waitUntilFinished().state == .succeeded)
        let bad = queue.add(Failing())
        #expect(await queue.add(Giving(1).after(text, bad)).waitUntilFinished().state == .skipped)
        #expect(
            await queue.add(Giving(1).after([bad, bad], on: .failed)).waitUntilFinished().state == .succeeded)
        #expect(
            await queue.add(Giving(1).after(bad, text, on: .finished)).waitUntilFinished().state == .succeeded
        )
    }

    @Test func `of a group lists its members`() async {
        let order = Record<String>()
        func step(_ name: String) -> ClosureOperation<Void> {
            ClosureOperation(name) { _ in order.append(name) }
        }
        let group = queue.add(GroupOperation(step("a"), Giving(1), step("b").timeout(.seconds(5))))
        #expect(await group.waitUntilFinished().state == .succeeded)
        #expect(group.name == "Group")
        #expect(order.all.sorted() == ["a", "b"])
        let failing = await queue.add(GroupOperation("nightly", Giving("x"), Failing(name: "bad")))
            .waitUntilFinished()
        #expect(failing.errors.map(\.path) == [["nightly", "bad"]])
        let ordered = await queue.add(
            GroupOperation.ordered("release", step("c"), Failing(name: "d"), step("e"))
        ).waitUntilFinished()
        #expect(ordered.state == .failed)
        #expect(order.all.count == 3)
    }
}
