import JobKit

/// The examples of the documents of AOperation.
struct AOperationExamples {
    let queue = AOperationQueue()

    func run() async throws {
        try await operations()
        try await groups()
        try await conditions()
        try await retries()
        try await others()
        try await observers()
        try await search()
    }

    private func doSomething() async throws -> String { "done" }

    private func operations() async throws {
        // feature: AOperation, an operation without a result
        struct MyVoidOperation: AOperation {
            func execute(in context: OperationContext) async throws {
                await Notes.shared.add("did something")
            }
        }
        // end

        // feature: AOperation, an operation with a result
        struct MyOperation: AOperation {
            func execute(in context: OperationContext) async throws -> String {
                "result"
            }
        }
        // end

        // feature: AOperation, what comes after the end
        switch await queue.add(MyOperation()).outcome {
        case .succeeded(let data): await Notes.shared.add(data)
        case .failed(let errors): await Notes.shared.add("\(errors)")
        default: break
        }
        // end

        // feature: AOperation, what delays the end
        let filed = MyVoidOperation().willFinish { _, _ in
            await Notes.shared.add("filed")
        }
        // end
        try await queue.add(filed).value

        // feature: AOperation, a delegate
        final class Manager: OperationDelegate {
            func operation(_ operation: OperationInfo, did event: OperationEvent) {
                if case .finished(let ending) = event.kind { print("\(operation.name) \(ending.state)") }
            }
        }
        let manager = Manager()
        let managed = queue.add(MyOperation().delegate(manager))
        // end
        try check("the managed operation", try await managed.value, "result")

        // feature: AOperation, a chain of modifiers
        MyVoidOperation()
            .condition(.noFailedDependencies)
            .onFinish { _, ending in print(ending.state) }
            .add(to: queue)
        // end
        await queue.waitUntilDrained()
    }

    private struct Ask: AOperation {
        func execute(in context: OperationContext) async throws { await Notes.shared.add("asked") }
    }

    private struct Member: AOperation {
        let name: String
        func execute(in context: OperationContext) async throws { await Notes.shared.add(name) }
    }

    private func groups() async throws {
        let (a, b, c) = (Member(name: "A"), Member(name: "B"), Member(name: "C"))
        // feature: AOperation, a group
        let group = queue.add(GroupOperation(a, b, c))
        print(await group.waitUntilFinished().errors)
        // end
        try check("the group", await group.waitUntilFinished().state, .succeeded)

        // feature: AOperation, an ordered group
        let ordered = queue.add(GroupOperation.ordered("ordered", a, b, c))
        print(await ordered.waitUntilFinished().errors)
        // end
        try check("the ordered group", await ordered.waitUntilFinished().state, .succeeded)

        // feature: AOperation, a group of one's own
        let nightly = GroupOperation("nightly") { group in
            group.add(Member(name: "A"))
            group.add(Member(name: "B"))
            group.add(Member(name: "C"))
        }
        // end
        try await queue.add(nightly).value
    }

    private func conditions() async throws {
        let hasAccess = true
        // feature: AOperation, a condition
        struct UserAccess: OperationCondition {
            let hasAccess: Bool

            func evaluate(in context: ConditionContext) async -> ConditionVerdict {
                hasAccess ? .satisfied : .failed(AOperationError("access.denied", detail: "Ask for it."))
            }
        }
        // end

        // feature: AOperation, a condition with an operation before it
        struct Requested: PrerequisiteCondition {
            let exclusionKeys = ["access"]
            func prerequisites(in context: ConditionContext) -> [Prerequisite] { [Prerequisite(Ask())] }
        }
        // end

        // feature: AOperation, an operation with a condition
        let like = queue.add(Member(name: "like").condition(UserAccess(hasAccess: hasAccess)))
        switch await like.outcome {
        case .succeeded: await Notes.shared.add("liked")
        case .failed(let errors): await Notes.shared.add("\(errors)")
        default: break
        }
        // end
        try await queue.add(Member(name: "requested").condition(Requested())).value

        let user: String? = "Ada"
        // feature: AOperation, a condition as a closure
        let signedIn = ClosureCondition("signed in") { _ in
            user != nil
        }
        // end

        // feature: AOperation, mutual exclusion
        let exclusive = Member(name: "token").condition(.exclusive("access token"))
        // end

        // feature: AOperation, no cancelled dependencies
        let uncancelled = Member(name: "uncancelled").condition(.noCancelledDependencies)
        // end

        // feature: AOperation, a silent condition
        let silent = Member(name: "silent").condition(.silent(UserAccess(hasAccess: true)))
        // end

        // feature: AOperation, a negated condition
        let offline = Member(name: "offline").condition(.not(.reachable("api.example.com")))
        // end

        // feature: AOperation, a condition that waits for the network
        let online = Member(name: "online").condition(.reachable("api.example.com", patience: .init()))
        // end
        for recipe in [Member(name: "signed in").condition(signedIn), exclusive, uncancelled, silent] {
            try await queue.add(recipe).value
        }
        // Without a transport reachability cannot be found out; that is not taken for an answer.
        try check("offline", await queue.add(offline).waitUntilFinished().state, .failed)
        let waiting = queue.add(online)
        waiting.cancel()
        try check("online", await waiting.waitUntilFinished().state == .succeeded, false)
    }

    private struct FetchUserInfo: AOperation {
        func execute(in context: OperationContext) async throws -> String {
            guard context.attempt > 1 else { throw AOperationError("user.timed_out", detail: "Too slow.") }
            return "Ada"
        }
    }

    private func retries() async throws {
        // feature: AOperation, another try after a failure
        let info = queue.add(FetchUserInfo().retry(attempts: 100))
        await Notes.shared.add(try await info.value)
        // end

        // feature: AOperation, another try after certain failures
        let patient = queue.add(
            FetchUserInfo().retry(attempts: 100) { error in
                error.code == "user.timed_out"
            })
        await Notes.shared.add(try await patient.value)
        // end
    }

    private func others() async throws {
        // feature: AOperation, a unique operation
        let first = queue.add(Member(name: "alert").held().unique("alert"))
        let second = queue.add(Member(name: "alert").unique("alert"))
        // end
        try check("the second alert", await second.waitUntilFinished().errors.map(\.code), ["unique.taken"])
        first.release()
        try await first.value

        // feature: AOperation, a closure
        ClosureOperation { _ in
            await Notes.shared.add("presented")
        }
        .add(to: queue)
        // end

        // feature: AOperation, a closure that finishes later
        ContinuationOperation<Void> { _, completion in
            completion.finish()
        }
        .add(to: queue)
        // end

        // feature: AOperation, a delay before an operation
        DelayOperation(.after(.milliseconds(1)))
            .then("info") { _, context in try await context.run(FetchUserInfo().retry(attempts: 2)) }
            .finally { outcome, _ in await Notes.shared.add("\(outcome.state)") }
            .add(to: queue)
        // end

        let (a, b) = (Member(name: "A"), Member(name: "B"))
        // feature: AOperation, a delay between two operations
        GroupOperation.ordered("slow", a, DelayOperation(.after(.milliseconds(1))), b)
            .add(to: queue)
        // end

        // feature: AOperation, the rest of a delay between two operations
        GroupOperation.ordered("at least", a, DelayOperation(.afterSubmission(.milliseconds(2))), b)
            .add(to: queue)
        // end
        await queue.waitUntilDrained()
    }

    private func observers() async throws {
        let a = Member(name: "A")
        // feature: AOperation, an observer of the start
        a.onStart { _ in
        }
        .add(to: queue)
        // end

        // feature: AOperation, an observer of produced operations
        a.onProduce { _, child in
        }
        .add(to: queue)
        // end

        // feature: AOperation, an observer of the end
        a.onFinish { _, ending in
        }
        .add(to: queue)
        // end

        // feature: AOperation, an observer of several events
        let observed =
            a.onStart { _ in }
            .onProduce { _, child in print(child.name) }
            .onFinish { _, ending in print(ending.errors) }
        // end
        try await queue.add(observed).value

        // feature: AOperation, a timeout
        a.timeout(.seconds(5))
            .add(to: queue)
        // end

        let gauge = NetworkGauge()
        // feature: AOperation, an indicator of the network
        a.observer(gauge)
            .add(to: queue)
        // end

        // feature: AOperation, a log of all states
        let logged = queue.add(a.observer(LoggingObserver(to: Printer(), severity: .verbose)))
        // end
        try await logged.value
        await queue.waitUntilDrained()
    }

    private func search() async throws {
        var fetch: OperationHandle<String>?
        for text in ["A", "Ad", "Ada"] {
            // feature: AOperation, a search that begins when the typing ends
            fetch?.cancel()
            fetch = DelayOperation(.after(.milliseconds(20)))
                .then("tweets") { _, context in
                    try await context.run(FetchUserInfo().named(text).retry(attempts: 2))
                }
                .add(to: queue)
            // end
        }
        // feature: AOperation, a search that begins when the typing ends
        switch await fetch?.outcome {
        case .succeeded(let tweets): await Notes.shared.add(tweets)
        default: await Notes.shared.add("none")
        }
        // end
        try check("the search", try await fetch?.value, "Ada")
    }

    private struct Printer: OperationLog {
        func write(_ line: OperationLogLine) { print(line.text) }
    }
}
