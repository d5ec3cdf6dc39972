internal import StrictJSON

/// Tells somebody: a POST of a message together with the facts of the job.
public struct NotifySpec: Sendable, Hashable {
    /// Where to, without content. POST unless it says otherwise; the idempotency key is `auto` unless it says its own.
    public var request: NetworkSpec
    /// What is said.
    public var message: Binding
    /// A title, where there is one.
    public var title: Binding?
    /// More to go with it.
    public var data: Binding?

    /// Says `message` to the place of `request`.
    public init(request: NetworkSpec, message: Binding) {
        self.request = request
        self.message = message
    }

    /// The call, with its content: `{event, message, title, data, job, operation}`, the same in every attempt.
    public var call: NetworkSpec {
        var members: [NetworkSpec.Entry] = [
            .init(name: "event", value: .literal("notification")), .init(name: "message", value: message),
        ]
        if let title { members.append(.init(name: "title", value: title)) }
        if let data { members.append(.init(name: "data", value: data)) }
        members.append(.init(name: "job", value: Self.facts([.id, .name, .queue, .labels, .submittedAt])))
        members.append(
            .init(
                name: "operation",
                value: .object([Self.fact(.operation, as: "name"), Self.fact(.path, as: "path")])))
        var call = request
        call.body = .json(.object(members))
        return call
    }

    private static func facts(_ facts: [Binding.JobFact]) -> Binding {
        .object(facts.map { fact($0, as: $0.rawValue) })
    }

    private static func fact(_ fact: Binding.JobFact, as name: String) -> NetworkSpec.Entry {
        .init(name: name, value: .get(.init(.job(fact), fallback: .null)))
    }
}
