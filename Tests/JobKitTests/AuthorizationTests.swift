import StrictJSON
import Synchronization
import Testing
import TestOperations

@testable import JobKit

/// A capability whose permission the test grants, denies or leaves open.
private final class Calendar: Capability {
    private struct Book {
        var status: AuthorizationStatus = .undetermined
        var asked = 0
        var decision: AuthorizationStatus?
    }
    let name = "calendar"
    let available: Bool
    let gauge = Gauge()
    let gate = Latch()
    private let book = Mutex(Book())

    init(
        _ status: AuthorizationStatus = .undetermined, deciding: AuthorizationStatus? = nil,
        available: Bool = true
    ) {
        self.available = available
        book.withLock {
            $0.status = status
            $0.decision = deciding
        }
    }

    var asked: Int { book.withLock { $0.asked } }
    func isAvailable() async -> Bool { available }
    func status() async throws -> AuthorizationStatus { book.withLock { $0.status } }
    func request(_ scopes: Set<String>, in context: OperationContext) async throws {
        gauge.enter()
        defer { gauge.leave() }
        let decision = book.withLock { book in
            book.asked += 1
            return book.decision
        }
        guard let decision else { return try await context.clock.sleep(for: .seconds(1_000_000)) }
        await Task.yield()
        book.withLock { $0.status = decision }
    }
}

@Suite struct `An authorization` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    private func ending(_ capability: any Capability, _ scopes: Set<String> = [], silent: Bool = false) async
        -> OperationEnding
    {
        let condition = AuthorizedFor(capability, scopes: scopes)
        return await queue.add(
            Giving(1, name: "target").condition(silent ? SilentCondition(condition) : condition)
        ).waitUntilFinished()
    }

    @Test func `that is undecided is requested once, and lets the operation run when given`() async {
        let calendar = Calendar(deciding: .granted(scopes: ["read", "write"]))
        #expect(await ending(calendar, ["write"]).state == .succeeded)
        #expect(await ending(calendar, ["read"]).state == .succeeded)
        #expect(calendar.asked == 1)
    }

    @Test func `that is refused or too narrow fails with the given and the required scope`() async {
        let refused = Calendar(deciding: .denied)
        let error = await ending(refused, ["write"]).errors.first
        #expect(error?.code == .conditionNotAuthorized)
        #expect(error?.stage == .condition)
        #expect(error?.publisher == "authorized_for calendar")
        #expect(error?.publishedError?.info["state"]?.string == "denied")
        #expect(error?.publishedError?.info["required"]?.array?.compactMap(\.string) == ["write"])
        _ = await ending(refused, ["write"])
        #expect(refused.asked == 1)

        let narrow = Calendar(.granted(scopes: ["read"]))
        let info = await ending(narrow, ["read", "write"]).errors.first?.publishedError?.info
        #expect(info?["state"]?.string == "granted")
        #expect(info?["granted"]?.array?.compactMap(\.string) == ["read"])
        #expect(narrow.asked == 0)
    }

    @Test func `that is over is asked for again`() async {
        let past = Calendar(
            .granted(scopes: ["read"], until: clock.now), deciding: .granted(scopes: ["read"]))
        #expect(await ending(past, ["read"]).state == .succeeded)
        #expect(past.asked == 1)
    }

    @Test func `for something that is not there fails without asking`() async {
        let missing = Calendar(available: false)
        #expect(await ending(missing).errors.map(\.code) == [.conditionUnavailable])
        #expect(missing.asked == 0)
        let report = await queue.add(GetAuthorizationStatus(missing)).waitUntilFinished()
        #expect(report.state == .succeeded)
        #expect(
            await queue.add(Authorize(missing)).waitUntilFinished().errors.map(\.code) == [
                .conditionUnavailable
            ])
    }

    @Test func `is only looked at when it is to be silent`() async throws {
        let calendar = Calendar(deciding: .granted(scopes: []))
        #expect(
            await ending(calendar, silent: true).errors.first?.publishedError?.info["state"]?.string
                == "undetermined")
        let report = try await queue.add(GetAuthorizationStatus(calendar)).value
        #expect(report == .init(isAvailable: true, status: .undetermined))
        #expect(calendar.asked == 0)
        #expect(try await queue.add(Authorize(calendar)).value == .granted(scopes: []))
        #expect(await ending(calendar, silent: true).state == .succeeded)
    }

    @Test func `is asked for by one at a time, and by the others not again`() async {
        let calendar = Calendar(deciding: .granted(scopes: []))
        let queue = queue
        let targets = (0..<20).map { queue.add(Giving($0).condition(AuthorizedFor(calendar))) }
        for target in targets { #expect(await target.waitUntilFinished().state == .succeeded) }
        #expect(calendar.asked == 1)
        #expect(calendar.gauge.most == 1)
    }

    @Test func `is not waited for any more when the operation is stopped`() async {
        let calendar = Calendar()
        let queue = queue
        let target = queue.add(Giving(1).condition(AuthorizedFor(calendar)))
        await clock.waitForSleepers()
        target.cancel()
        #expect(target.ending?.state == .cancelled)
        await queue.waitUntilDrained()
        #expect(clock.sleeperCount == 0)
    }
}

@Suite struct `A confirmation` {
    let clock = ManualClock()
    let inbox = ConfirmationInbox()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    private func question(_ id: String = "q", expiresIn: Duration? = nil) -> ConfirmationQuestion {
        ConfirmationQuestion(id: id, title: "Really?", expiresIn: expiresIn)
    }

    private func asked(_ count: Int = 1) async {
        while inbox.openQuestions.count < count { await Task.yield() }
    }

    @Test func `that is given lets the operation run, and is remembered`() async throws {
        let queue = queue
        let condition = ConfirmationCondition(question(), at: inbox)
        let target = queue.add(Giving(1).condition(condition))
        await asked()
        #expect(target.ending == nil)
        #expect(inbox.openQuestions == [question()])
        try inbox.answer("q", .approved(by: "ada"))
        #expect(try await target.value == 1)
        #expect(try await queue.add(Giving(2).condition(condition)).value == 2)
        #expect(try await queue.add(Giving(3).condition(SilentCondition(condition))).value == 3)
    }

    @Test func `that is declined fails the operation with name and reason`() async throws {
        let target = queue.add(Giving(1).condition(ConfirmationCondition(question(), at: inbox)))
        await asked()
        try inbox.answer("q", .declined(by: "bob", comment: "not today"))
        let error = await target.waitUntilFinished().errors.first
        #expect(error?.code == .approvalRejected)
        #expect(error?.stage == .condition)
        #expect(error?.publisher == "confirmation")
        #expect(error?.detail == "bob declined \"Really?\": not today")
    }

    @Test func `that is not given in time fails the operation, and a late answer is refused`() async {
        let target = queue.add(
            Giving(1).condition(ConfirmationCondition(question(expiresIn: .seconds(60)), at: inbox)))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(60))
        #expect(await target.waitUntilFinished().errors.map(\.code) == [.approvalExpired])
        #expect(throws: ConfirmationInbox.Refusal.withdrawn) { try inbox.answer("q", .approved(by: "ada")) }
    }

    @Test func `is answered once`() async throws {
        let target = queue.add(Giving(1).condition(ConfirmationCondition(question(), at: inbox)))
        #expect(throws: ConfirmationInbox.Refusal.unknown) { try inbox.answer("x", .approved(by: "ada")) }
        await asked()
        try inbox.answer("q", .approved(by: "ada"))
        #expect(throws: ConfirmationInbox.Refusal.answered) { try inbox.answer("q", .declined(by: "bob")) }
        #expect(try await target.value == 1)
    }

    @Test func `is withdrawn when the operation is stopped, unless another needs it`() async throws {
        let queue = queue
        let condition = ConfirmationCondition(question(), at: inbox)
        let first = queue.add(Giving(1, name: "first").condition(condition))
        await asked()
        let second = queue.add(Giving(2, name: "second").condition(condition))
        while second.core.parts.withLock({ $0.links.children.first?.state }) != .executing {
            await Task.yield()
        }
        // It asks at once then, and nothing tells when it has joined.
        try await Task.sleep(for: .milliseconds(100))
        first.cancel()
        #expect(first.ending?.state == .cancelled)
        while queue.unfinishedCount > 2 { await Task.yield() }
        #expect(inbox.openQuestions.count == 1)
        second.cancel()
        await queue.waitUntilDrained()
        #expect(inbox.openQuestions.isEmpty)
        #expect(throws: ConfirmationInbox.Refusal.withdrawn) { try inbox.answer("q", .approved(by: "ada")) }
    }

    @Test func `is not asked for when it is to be silent`() async {
        let condition = SilentCondition(ConfirmationCondition(question(), at: inbox))
        #expect(
            await queue.add(Giving(1).condition(condition)).waitUntilFinished().errors.map(\.code) == [
                .approvalUnanswered
            ])
        #expect(throws: ConfirmationInbox.Refusal.unknown) { try inbox.answer("q", .approved(by: "ada")) }
    }

    @Test func `that is exclusive waits until its audience has answered the one before`() async throws {
        let queue = queue
        let targets = ["a", "b"].map { id in
            var exclusive = question(id)
            exclusive.isExclusive = true
            exclusive.audience = "operators"
            return queue.add(Giving(id).condition(ConfirmationCondition(exclusive, at: inbox)))
        }
        for _ in targets {
            await asked()
            #expect(inbox.openQuestions.count == 1)
            try inbox.answer(inbox.openQuestions[0].id, .approved(by: "ada"))
        }
        for target in targets { #expect(await target.waitUntilFinished().state == .succeeded) }
    }
}
