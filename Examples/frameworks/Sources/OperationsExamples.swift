import JobKit

/// The examples of the documents of Operations and of its successor, ProcedureKit.
struct OperationsExamples {
    let queue = AOperationQueue()

    func run() async throws {
        try await contacts()
        try await procedures()
        try await dependencies()
        try await results()
        try await groups()
    }

    private actor Connection {
        var contacts: [String] = []
        func write(_ contact: String) { contacts.append(contact) }
        func remove(_ contact: String) { contacts.removeAll { $0 == contact } }
    }

    private func contacts() async throws {
        let connection = Connection()
        // feature: Operations, an operation with a completion
        struct SaveContact: AOperation {
            let connection: Connection
            let contact: String

            var name: String { "Save Contact: \(contact)" }

            func execute(in context: OperationContext) async throws -> String {
                await connection.write(contact)
                return contact
            }
        }
        // end

        // feature: Operations, an operation with an observer
        let save = ComposedOperation(SaveContact(connection: connection, contact: "Ada"))
        queue.add(
            save.onFinish { _, _ in
                print("Did save contact")
            })
        // end
        await queue.waitUntilDrained()

        let inbox = ConfirmationInbox()
        let (queue, contact) = (queue, "Ada")
        // feature: Operations, a confirmation by the user
        let question = ConfirmationQuestion(
            id: "delete \(contact)", title: "Are you sure?",
            message: "The contact will be removed from all your devices.")
        let deleted = queue.add(
            ClosureOperation("delete") { _ in await connection.remove(contact) }
                .condition(.confirmed(question, at: inbox)))
        // end
        while inbox.openQuestions.isEmpty { await Task.yield() }
        try inbox.answer(question.id, .approved(by: "ada"))
        try await deleted.value
        try check("the contacts", await connection.contacts, [])

        // feature: Operations, a permission
        let located = ClosureOperation("locate") { _ in "here" }.condition(AuthorizedFor(Location()))
        // end

        // feature: Operations, the status of a permission and its request
        let status = queue.add(GetAuthorizationStatus(Location()))
        print(try await status.value)
        let request = queue.add(Authorize(Location()))
        print(try await request.value)
        // end
        try check("the place", try await queue.add(located).value, "here")
    }

    private struct Location: Capability {
        let name = "location"
        func isAvailable() async -> Bool { true }
        func status() async throws -> AuthorizationStatus { .granted(scopes: []) }
        func request(_ scopes: Set<String>, in context: OperationContext) async throws {}
    }

    private struct Greeter: AOperation {
        let personName: String
        func execute(in context: OperationContext) async throws { print("Hello \(personName)") }
    }

    private func procedures() async throws {
        // feature: ProcedureKit, the first operation
        struct MyFirstOperation: AOperation {
            func execute(in context: OperationContext) async throws {
                print("Hello World")
            }
        }
        let queue = AOperationQueue()
        queue.add(MyFirstOperation())
        // end

        // feature: ProcedureKit, an operation with a parameter
        struct NamedGreeter: AOperation {
            let personName: String
            let name = "Greeter Operation"

            func execute(in context: OperationContext) async throws {
                print("Hello \(personName)")
            }
        }
        // end

        // feature: ProcedureKit, an observer of the end
        let observed = MyFirstOperation().onFinish { _, ending in
            print("Yay! Finished!")
        }
        // end
        try await queue.add(observed).value

        let trueOrFalse = true
        // feature: ProcedureKit, a condition as a closure
        let conditional = MyFirstOperation().condition(ClosureCondition("allowed") { _ in trueOrFalse })
        // end
        try await queue.add(conditional).value

        // feature: ProcedureKit, a condition that never holds
        struct FalseCondition: OperationCondition {
            func evaluate(in context: ConditionContext) async -> ConditionVerdict {
                .failed(AOperationError("never.holds", detail: "It never holds."))
            }
        }
        // end
        try check(
            "a false condition",
            await queue.add(MyFirstOperation().condition(FalseCondition())).waitUntilFinished().state, .failed
        )
    }

    private func dependencies() async throws {
        // feature: ProcedureKit, a dependency
        let welcome = queue.add(Greeter(personName: "everyone"))
        let greet = queue.add(Greeter(personName: "Daniel").after(welcome))
        // end
        try await greet.value

        let isGlobal = true
        // feature: ProcedureKit, dependencies and conditions
        let greeting = queue.add(ClosureOperation { _ in print("Hello") })
        let world = ClosureOperation { _ in print(" World") }.after(greeting)
        let local = ClosureOperation { _ in print(" Dan") }.after(greeting)
        queue.add(world.condition(ClosureCondition("global", otherwise: .skip) { _ in isGlobal }))
        queue.add(local.condition(ClosureCondition("local", otherwise: .skip) { _ in !isGlobal }))
        // end
        await queue.waitUntilDrained()

        // feature: ProcedureKit, mutual exclusion
        queue.add(Greeter(personName: "Ada").condition(.exclusive("core data")))
        // end

        // feature: ProcedureKit, a log
        struct LogExample: AOperation {
            func execute(in context: OperationContext) async throws {
                context.report(OperationProgress(completed: 1, text: "Hello World!"))
            }
        }
        // end
        queue.add(LogExample())
        await queue.waitUntilDrained()
    }

    private func results() async throws {
        // feature: ProcedureKit, an operation with a result
        struct DataFetch: AOperation {
            func execute(in context: OperationContext) async throws -> [Int] { [1, 2, 3] }
        }
        // end

        // feature: ProcedureKit, an operation with an input and a result
        struct DataProcessing: ReceivingOperation {
            func execute(receiving data: [Int], in context: OperationContext) async throws -> [Int] {
                data.map { $0 * 2 }
            }
        }
        // end

        // feature: ProcedureKit, the result of one for another
        let fetch = queue.add(DataFetch())
        let processing = queue.add(DataProcessing().receiving(fetch))
        // end
        try check("the processed data", try await processing.value, [2, 4, 6])

        // feature: ProcedureKit, a part of the result of one for another
        let first = queue.add(DataFetch())
        let some = queue.add(DataProcessing().receiving(first) { Array($0.prefix(1)) })
        // end
        try check("the processed part", try await some.value, [2])
    }

    private func groups() async throws {
        let (one, two, three) = (Greeter(personName: "1"), Greeter(personName: "2"), Greeter(personName: "3"))
        // feature: ProcedureKit, a group
        let group = queue.add(
            GroupOperation(one, two, three).onFinish { _, ending in
                print("errors: \(ending.errors)")
            })
        // end
        try await group.value

        let credentials = "lovelace"
        // feature: ProcedureKit, a group of one's own
        func login(_ credentials: String) -> OperationRecipe<Void> {
            GroupOperation("Login") { group in
                let login = group.add(ClosureOperation("login") { _ in "session of \(credentials)" })
                group.add(login.map("persist") { session in await Notes.shared.add(session) })
            }
            .observer(NetworkGauge())
            .condition(.exclusive("login"))
        }
        // end
        try await queue.add(login(credentials)).value

        // feature: ProcedureKit, a group that grows
        let growing = GroupOperation("foo bar baz") { group in
            group.add(
                ClosureOperation("foo") { _ in
                    let doesBaz = await Notes.shared.lines.isEmpty
                    group.add(Greeter(personName: doesBaz ? "baz" : "bar"))
                })
        }
        // end
        try await queue.add(growing).value

        let session = ClosureOperation("session") { _ in "session" }.recipe
        // feature: ProcedureKit, a group around an operation from outside
        func loginWith(_ task: OperationRecipe<String>) -> OperationRecipe<Void> {
            GroupOperation("Login", failsFast: true) { group in
                let session = group.add(task)
                group.add(session.map("persist") { session in await Notes.shared.add(session) })
            }
            .observer(NetworkGauge())
            .condition(.exclusive("login"))
        }
        // end
        try await queue.add(loginWith(session)).value
    }
}
