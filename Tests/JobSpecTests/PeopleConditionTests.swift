import HTTPMessage
@testable import JobKit
@testable import JobSpec
import StrictJSON
import Synchronization
import Testing
import TestOperations

/// A journal in memory that never suspends.
private final class Notebook: OperationJournal {
    private let book = Mutex(JournalFold([]))

    var fold: JournalFold { book.withLock { $0 } }
    /// The requests of all operations so far.
    var asked: [ApprovalRequest] { fold.histories.values.flatMap { $0.approvals.map(\.request) } }

    func record(_ entry: JournalEntry) { book.withLock { $0.apply(entry) } }
    func flush() async throws(RunSuspended) {}
    func history(of path: [String]) -> OperationHistory? { nil }
    func note(taken: Set<ByteKey>, freed: Set<ByteKey>, by path: [String]) {}
}

@Suite struct `An approval on a manual clock` {
    private let clock = ManualClock()
    private let journal = Notebook()

    private var environment: OperationEnvironment {
        var environment = OperationEnvironment(clock: clock)
        environment.journal = journal
        environment.digest = { "test:\($0.count)" }
        return environment
    }

    private func question(_ timeout: Duration? = nil, _ fallback: ApprovalQuestion.Fallback = .fail)
        -> ApprovalCondition
    {
        var question = ApprovalQuestion(prompt: "Go?")
        question.timeout = timeout
        question.onTimeout = fallback
        return ApprovalCondition(question: question) { _ in
            ApprovalSubject(type: "value", path: ["x"], members: nil)
        }
    }

    private func answer(_ environment: OperationEnvironment, _ isApproved: Bool) async {
        while journal.asked.isEmpty { await Task.yield() }
        for request in journal.asked {
            environment.inbox.deliver(
                JobMessage(
                    by: "ada",
                    content: .approval(
                        id: request.id.description, isApproved: isApproved, comment: "because")))
        }
    }

    @Test func `lets the operation run when a person approves`() async throws {
        let environment = environment
        let handle = AOperationQueue(environment: environment).add(Giving(1).condition(question()))
        await answer(environment, true)
        #expect(try await handle.value == 1)
        #expect(journal.asked.count == 1)
        #expect(journal.asked.first?.expiresAt == nil)
    }

    @Test func `fails or skips the operation when a person rejects`() async {
        let environment = environment
        let queue = AOperationQueue(environment: environment)
        let failed = queue.add(Giving(1).named("a").condition(question()))
        await answer(environment, false)
        let ending = await failed.waitUntilFinished()
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.code) == [.approvalRejected])
        #expect(ending.errors.first?.stage == .condition)
        #expect(ending.errors.first?.publisher == "approval")
        #expect(ending.errors.first?.publishedError?.failureReason == "because")
    }

    @Test func `that is ignored skips the operation, and that is negated lets it run`() async throws {
        let environment = environment
        let skipped = AOperationQueue(environment: environment).add(
            Giving(1).condition(IgnoredCondition(question())))
        await answer(environment, false)
        #expect(await skipped.waitUntilFinished().state == .skipped)
        let other = Self()
        let surroundings = other.environment
        let runs = AOperationQueue(environment: surroundings).add(
            Giving(1).condition(NegatedCondition(other.question())))
        await other.answer(surroundings, false)
        #expect(try await runs.value == 1)
    }

    @Test func `is not waited for when another condition is enough`() async throws {
        let gate = ClosureCondition("other") { context in
            try? await context.environment.clock.sleep(for: .seconds(1))
            return .satisfied
        }
        let handle = AOperationQueue(environment: environment).add(
            Giving(1).condition(AnyCondition(question(), gate)))
        while journal.asked.isEmpty { await Task.yield() }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        #expect(try await handle.value == 1)
    }

    @Test(arguments: [(ApprovalQuestion.Fallback.fail, JobState.failed), (.continue, .succeeded)])
    func `expires to the second`(fallback: ApprovalQuestion.Fallback, state: JobState) async {
        let handle = AOperationQueue(environment: environment).add(
            Giving(1).condition(question(.seconds(60), fallback)))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(59))
        #expect(handle.state == .evaluatingConditions)
        clock.advance(by: .seconds(1))
        let ending = await handle.waitUntilFinished()
        #expect(ending.state == state)
        #expect(ending.errors.map(\.code) == (state == .failed ? [.approvalExpired] : []))
    }

    @Test func `opens no approval when silent, and cannot be opened without a journal`() async {
        let silent = AOperationQueue(environment: environment).add(
            Giving(1).condition(SilentCondition(question())))
        #expect(await silent.waitUntilFinished().errors.map(\.code) == [.approvalUnanswered])
        #expect(journal.asked.isEmpty)
        let plain = AOperationQueue(environment: OperationEnvironment(clock: clock)).add(
            Giving(1).condition(question()))
        #expect(await plain.waitUntilFinished().errors.map(\.code) == [.conditionBroken])
    }

    @Test func `hides credentials in its display and in its digest`() {
        var call = HTTPCallSample.payment
        let first = ApprovalSubject(call: call, hiding: ["x-signature"])
        let headers = first.shown["headers"]?.object
        for name in ["authorization", "cookie", "x-api-key", "x-signature"] {
            #expect(headers?[name] == "(hidden)", "\(name)")
        }
        #expect(headers?["idempotency-key"] == "k1")
        #expect(!String(decoding: first.text, as: UTF8.self).contains("s3cret"))
        call.fields[0].value = "Bearer other"
        #expect(ApprovalSubject(call: call, hiding: ["x-signature"]).text == first.text)
        call.body = Array("{}".utf8)
        #expect(ApprovalSubject(call: call, hiding: ["x-signature"]).text != first.text)
    }
}

/// Grants in memory.
private final class Grants: GrantBook {
    private struct Page {
        var standings: [String: GrantStanding] = [:]
        var requests: [String] = []
    }
    private let page = Mutex(Page())

    var requests: [String] { page.withLock { $0.requests } }

    func decide(_ name: String, _ standing: GrantStanding) { page.withLock { $0.standings[name] = standing } }

    func standing(of name: String) async throws -> GrantStanding {
        page.withLock { $0.standings[name] } ?? GrantStanding(decided: .undetermined)
    }

    func request(_ name: String, scopes: Set<String>, for job: String) async throws -> GrantStanding {
        page.withLock { $0.requests.append(name) }
        return try await standing(of: name)
    }
}

@Suite struct `A grant on a manual clock` {
    private let clock = ManualClock()
    private let grants = Grants()

    private func add(_ condition: any OperationCondition) -> OperationHandle<Int> {
        AOperationQueue(environment: OperationEnvironment(clock: clock)).add(Giving(1).condition(condition))
    }

    private func needsMail(_ scopes: Set<String> = ["send"]) -> AuthorizedFor {
        AuthorizedFor(HeldGrant(name: "mail", book: grants), scopes: scopes)
    }

    @Test func `is asked for and waited for`() async throws {
        let handle = add(needsMail())
        await clock.waitForSleepers()
        #expect(grants.requests == ["mail"])
        grants.decide("mail", GrantStanding(decided: .granted, scopes: ["send", "read"]))
        clock.advance(by: .seconds(1))
        #expect(try await handle.value == 1)
    }

    @Test func `is enough for its scopes until its time is over`() async throws {
        let end = clock.now.advanced(by: .seconds(60))
        grants.decide("mail", GrantStanding(decided: .granted, scopes: ["send"], expiresAt: end))
        #expect(try await add(needsMail()).value == 1)
        let refused = await add(needsMail(["delete"])).waitUntilFinished()
        #expect(refused.errors.map(\.code) == [.conditionNotAuthorized])
        #expect(grants.requests.isEmpty)
        grants.decide("mail", GrantStanding(decided: .granted))
        #expect(try await add(needsMail(["delete"])).value == 1)
        grants.decide("mail", GrantStanding(decided: .granted, expiresAt: clock.now))
        let waiting = add(needsMail())
        await clock.waitForSleepers()
        #expect(grants.requests == ["mail"])
        waiting.cancel()
        #expect(await waiting.waitUntilFinished().state == .cancelled)
    }

    @Test func `that is denied or unavailable fails, and requests nothing when silent`() async {
        grants.decide("mail", GrantStanding(decided: .denied))
        #expect(await add(needsMail()).waitUntilFinished().errors.map(\.code) == [.conditionNotAuthorized])
        grants.decide("mail", GrantStanding(decided: .unavailable))
        #expect(await add(needsMail()).waitUntilFinished().errors.map(\.code) == [.conditionUnavailable])
        grants.decide("mail", GrantStanding(decided: .undetermined))
        let silent = await add(SilentCondition(needsMail())).waitUntilFinished()
        #expect(silent.errors.map(\.code) == [.conditionNotAuthorized])
        #expect(grants.requests.isEmpty)
        let nobody = AuthorizedFor(HeldGrant(name: "mail", book: nil))
        #expect(await add(nobody).waitUntilFinished().errors.map(\.code) == [.conditionBroken])
    }
}
