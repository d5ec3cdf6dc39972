import HTTPMessage
import JobKit
import JobSpec
import StrictJSON
import Testing
import TestOperations

/// The programs of Docs/JobKit.md, which quotes each region word for word.
@Suite struct `The tutorial` {
    private let clock = ManualClock(start: Timestamp(milliseconds: 1_795_255_200_000))

    private func makeQueue() -> AOperationQueue {
        AOperationQueue(environment: OperationEnvironment(clock: clock))
    }

    @Test func `runs a first operation`() async throws {
        // region: queue
        let queue = AOperationQueue(capacity: 4)
        let token = queue.add(FetchToken(password: "lovelace"))
        let text = try await token.value
        // end
        #expect(text == "token-1")
    }

    @Test func `shows why one failed`() async {
        let queue = makeQueue()
        // region: failure
        let token = queue.add(FetchToken(password: "guess"))
        do {
            _ = try await token.value
        } catch {
            print(error.code)  // token.refused
            print(error.detail)  // The password is wrong. Ask the owner for it.
            print(error.path)  // ["FetchToken"]
        }
        // end
        let error = await token.waitUntilFinished().errors.first
        #expect(error?.code == "token.refused")
        #expect(error?.path == ["FetchToken"])
    }

    @Test func `passes a value on`() async throws {
        let queue = makeQueue()
        // region: receiving
        let token = queue.add(FetchToken(password: "lovelace"))
        let profile = queue.add(FetchProfile().receiving(token))
        let ada = try await profile.value
        // end
        #expect(ada == "Ada, known by token-1")
    }

    @Test func `makes one value of several`() async throws {
        let queue = makeQueue()
        let seen = Record<String>()
        // region: chain
        let length = FetchToken(password: "lovelace")
            .then(FetchProfile())
            .then("length") { profile, _ in profile.count }
            .finally { outcome, _ in seen.append("chain \(outcome.state)") }
            .add(to: queue)
        // end
        #expect(try await length.value == 21)
        #expect(seen.all == ["chain succeeded"])
        // region: batch
        let words = BatchOperation<String, Int>("lengths", concurrency: 2) { word, _ in
            ClosureOperation(word) { _ in word.count }.recipe
        }
        let lengths = try await queue.add(words.receiving(value: ["one", "three"])).value
        print(lengths.values)  // [3, 5]
        // end
        #expect(lengths.values == [3, 5])
        // region: rescued
        let guess = queue.add(FetchToken(password: "guess"))
        let token = queue.add(guess.rescued { errors in "no token: \(errors[0].code)" })
        // end
        #expect(try await token.value == "no token: token.refused")
    }

    @Test func `holds back and allows one at a time`() async throws {
        let queue = makeQueue()
        // region: held
        let report = queue.add(ClosureOperation("report") { _ in "sent" }.held().unique("report"))
        let second = queue.add(ClosureOperation("second report") { _ in "sent" }.unique("report"))
        print(await second.waitUntilFinished().errors[0].code)  // unique.taken
        report.release()
        // end
        #expect(second.ending?.errors.map(\.code) == ["unique.taken"])
        #expect(try await report.value == "sent")
    }

    @Test func `takes part in the beginning and the end`() async throws {
        let queue = makeQueue()
        let log = Record<String>()
        // region: hooks
        let letter = queue.add(
            ClosureOperation("letter") { _ in "signed" }
                .willExecute { _ in .proceed }
                .willFinish(limit: .seconds(1)) { _, ending in log.append("filed as \(ending.state)") }
                .onFinish { _, _ in log.append("over") })
        // end
        #expect(try await letter.value == "signed")
        #expect(log.all.first == "filed as succeeded")
    }

    @Test func `puts operations in order`() async throws {
        let queue = makeQueue()
        // region: after
        let backup = queue.add(ClosureOperation("backup") { _ in "saved" })
        let upgrade = queue.add(ClosureOperation("upgrade") { _ in "new" }.after(backup))
        let report = queue.add(ClosureOperation("report") { _ in "sent" }.after(upgrade, on: .finished))
        // end
        #expect(try await report.value == "sent")
        #expect(upgrade.ending?.state == .succeeded)
    }

    @Test func `asks conditions first`() async {
        let queue = makeQueue()
        clock.advance(by: .seconds(12 * 3_600))
        // region: conditions
        let letter = queue.add(
            ClosureOperation("letter") { _ in "signed" }
                .condition(OfficeHours())
                .condition(.exclusive("fountain pen")))
        let ending = await letter.waitUntilFinished()
        print(ending.state)  // failed
        print(ending.errors.map(\.stage))  // [condition]
        // end
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.stage) == [.condition])
        #expect(ending.errors.map(\.publisher) == ["OfficeHours"])
    }

    @Test func `combines conditions`() async {
        let queue = makeQueue()
        clock.advance(by: .seconds(12 * 3_600))
        // region: combined
        let letter = queue.add(
            ClosureOperation("letter") { _ in "signed" }
                .condition(AnyCondition(OfficeHours(), NegatedCondition(OfficeHours()))))
        let call = queue.add(
            ClosureOperation("call") { _ in "answered" }
                .condition(IgnoredCondition(OfficeHours())))
        // end
        #expect(await letter.waitUntilFinished().state == .succeeded)
        #expect(await call.waitUntilFinished().state == .skipped)
    }

    @Test func `retries within its limits`() async throws {
        let queue = makeQueue()
        // region: retry
        let fragile = ClosureOperation("fragile") { context -> Int in
            guard context.attempt >= 3 else { throw AOperationError("fragile.broke", detail: "It broke.") }
            return context.attempt
        }
        let patient = queue.add(
            fragile
                .retry(attempts: 5, backoff: .exponential(initial: .seconds(1), factor: 2, max: .seconds(60)))
                .timeout(.seconds(30))
                .deadline(after: .seconds(120)))
        // end
        await clock.waitForSleepers()
        while patient.ending == nil {
            // Only while it waits for its next attempt: time must not pass while an attempt is in flight.
            if let wake = clock.nextWake, wake.since(clock.now) < .seconds(20) {
                clock.advance(by: .milliseconds(500))
            }
            await Task.yield()
        }
        #expect(try await patient.value == 3)
    }

    @Test func `groups operations`() async throws {
        let queue = makeQueue()
        // region: group
        let nightly = queue.add(
            GroupOperation("nightly", concurrency: 2) { group in
                let token = group.add(FetchToken(password: "lovelace"))
                group.add(FetchProfile().receiving(token))
                group.add(ClosureOperation("clean up") { _ in })
            })
        try await nightly.value
        // end
        #expect(nightly.state == .finished)
    }

    @Test func `puts a group in order, with an end that always comes`() async throws {
        let queue = makeQueue()
        let log = Record<String>()
        // region: ordered
        let release = queue.add(
            GroupOperation.ordered("release") { group in
                group.add(ClosureOperation("build") { _ in log.append("build") })
                group.add(
                    ClosureOperation("publish") { _ in
                        throw AOperationError("publish.full", detail: "No room.")
                    })
                group.add(ClosureOperation("announce") { _ in log.append("announce") })
                group.addFinally(ClosureOperation("tidy up") { _ in log.append("tidy up") })
            })
        // end
        #expect(await release.waitUntilFinished().errors.map(\.code) == ["publish.full"])
        #expect(log.all == ["build", "tidy up"])
    }

    @Test func `runs one operation inside of another`() async throws {
        let queue = makeQueue()
        // region: inner
        let greeting = queue.add(
            ClosureOperation("greeting") { context in
                let token = try await context.run(FetchToken(password: "lovelace"))
                context.produce(ClosureOperation("note") { _ in })
                return "Hello, owner of \(token)"
            })
        // end
        #expect(try await greeting.value == "Hello, owner of token-1")
    }

    @Test func `asks a person`() async throws {
        let queue = makeQueue()
        // region: confirmation
        let inbox = ConfirmationInbox()
        let question = ConfirmationQuestion(id: "purge-7", title: "Purge 7 accounts?")
        let purge = queue.add(
            ClosureOperation("purge") { _ in 7 }
                .condition(ConfirmationCondition(question, at: inbox)))
        // end
        while inbox.openQuestions.isEmpty { await Task.yield() }
        // region: answering
        for question in inbox.openQuestions {
            try inbox.answer(question.id, .approved(by: "ada", comment: "They asked for it."))
        }
        // end
        #expect(try await purge.value == 7)
    }

    @Test func `makes sure of something before it asks`() async throws {
        let queue = makeQueue()
        let work = queue.add(ClosureOperation("work") { _ in "done" }.condition(Prepared()))
        #expect(try await work.value == "done")
    }

    @Test func `reports events`() async throws {
        let queue = makeQueue()
        let lines = Record<String>()
        // region: observing
        let token = queue.add(
            FetchToken(password: "lovelace")
                .named("token")
                .observer(Narrator { lines.append($0) }))
        for await event in token.events {
            if case .finished(let ending) = event.kind { print(ending.state) }  // succeeded
        }
        // end
        #expect(lines.all == ["token begins", "token succeeded"])
    }

    @Test func `cancels unneeded work`() async {
        let queue = makeQueue()
        // region: cancel
        let nap = queue.add(DelayOperation(.after(.seconds(3_600)), name: "nap").grace(.seconds(1)))
        nap.cancel(reason: "there is news")
        let ending = await nap.waitUntilFinished()
        print(ending.state)  // cancelled
        // end
        #expect(ending.state == .cancelled)
    }

    @Test func `makes calls through a transport`() async throws {
        // region: calling
        let environment = OperationEnvironment(transport: CannedAnswer(text: "[1, 2, 3]"))
        let queue = AOperationQueue(environment: environment)
        let count = try await queue.add(CountItems(url: "https://api.example.com/items")).value
        // end
        #expect(count == 3)
    }

    @Test func `has time under control`() async {
        // region: clock
        let clock = ManualClock()
        let queue = AOperationQueue(environment: OperationEnvironment(clock: clock))
        let nap = queue.add(DelayOperation(.after(.seconds(3_600))))
        await clock.waitForSleepers()
        while nap.ending == nil {
            clock.advance(by: .seconds(60))
            await Task.yield()
        }
        // end
        #expect(nap.ending?.state == .succeeded)
        #expect(clock.now.milliseconds >= 1_700_003_600_000)
    }

    @Test func `adds a word to job specs`() throws {
        let text = #"{"type": "greeting", "whom": "Ada", "times": 2}"#
        let kinds = try OperationKinds([greeting])
        let spec = try JobSpecReader.read(Array(text.utf8), now: clock.now, kinds: kinds).get()
        #expect(spec.operation.kind.type == "greeting")
    }
}
