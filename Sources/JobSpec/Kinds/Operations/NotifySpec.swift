internal import JobKit
internal import StrictJSON

/// A POST of a message with the facts of the job.
package struct NotifySpec: Sendable, Hashable {
    /// The target, without content. POST by default; the idempotency key is `auto` by default.
    package var request: NetworkSpec
    package var message: Binding
    package var title: Binding?
    /// More to go with it.
    package var data: Binding?

    /// Sends `message` to the target of `request`.
    package init(request: NetworkSpec, message: Binding) {
        self.request = request
        self.message = message
    }

    /// The call, with its content: `{event, message, title, data, job, operation}`, the same in every attempt.
    package var call: NetworkSpec {
        var members: [NetworkSpec.Entry] = [
            .init(name: "event", value: .literal("notification")), .init(name: "message", value: message),
        ]
        if let title { members.append(.init(name: "title", value: title)) }
        if let data { members.append(.init(name: "data", value: data)) }
        members.append(.init(name: "job", value: Self.facts([.id, .name, .queue, .labels, .submittedAt])))
        members.append(Self.fact(.operation))
        var call = request
        call.body = .json(.object(members))
        return call
    }

    private static func facts(_ facts: [Binding.JobFact]) -> Binding {
        .object(facts.map(fact))
    }

    private static func fact(_ fact: Binding.JobFact) -> NetworkSpec.Entry {
        .init(name: fact.rawValue, value: .get(.init(.job(fact), fallback: .null)))
    }
}

extension NotifySpec: BuiltInKind {
    static let name = "notify"
    static let members: [any KindMember] = [
        CallReader.postMember, CallReader.connectionMember, CallReader.expectMember, CallReader.retryMember,
        messageMember, titleMember, dataMember,
    ]
    private static let messageMember = RequiredMember(
        "message", .text, remedy: "Write the text to send.",
        suggestion: #""message": "The nightly run is over.""#)
    private static let titleMember = OptionalMember("title", .text)
    private static let dataMember = OptionalMember("data", .binding)
    static let makesCalls = true

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> NotifySpec? {
        let call = CallReader(scope).read(object, &draft, request: CallReader.postMember, &reading)
        CallReader.checkContent(
            of: object["request"]?.object, call,
            "A notification makes its own content. Put it into \"data\" beside \"request\".",
            "A notification", &reading)
        guard let message = messageMember.read(object, scope, &reading), var call else { return nil }
        if call.idempotencyKey == nil { call.idempotencyKey = .auto }
        var notification = NotifySpec(request: call, message: message)
        notification.title = titleMember.read(object, scope, &reading)
        notification.data = dataMember.read(object, scope, &reading)
        return notification
    }

    var outgoingCall: NetworkSpec? { call }
    var planWords: [String] { request.planWords }

    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        call.recipe(for: spec, by: compiler, references)
    }
}
