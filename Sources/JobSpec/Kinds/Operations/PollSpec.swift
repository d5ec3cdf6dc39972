package import JobKit
internal import StrictJSON

/// Calls repeatedly until the upstream is done.
package struct PollSpec: Sendable, Hashable {
    /// The default limit of polls.
    package static let pollsDefault = 1_000

    package var call: NetworkSpec
    /// Ends the poll successfully when an answer satisfies it.
    package var until: JSONPredicate?
    /// Fails it when it holds of an answer.
    package var failIf: JSONPredicate?
    /// The wait between two polls; the first value is the wait before poll 2.
    package var wait: RetrySpec.Backoff = .fixed(.seconds(10))
    /// The limit of polls, 1…10,000.
    package var pollsMax = PollSpec.pollsDefault
    /// Whether `Operation-Location`, or `Location` of a 202, is polled from then on.
    package var follows = false

    package init(call: NetworkSpec) { self.call = call }
}

extension PollSpec: BuiltInKind {
    static let name = "poll"
    static let wait: WaitWords? = WaitWords(.poll, "time", isBeforeMore: true) { _ in "its next poll" }
    static let members: [any KindMember] = [
        CallReader.requestMember, CallReader.connectionMember, CallReader.expectMember,
        CallReader.retryMember, untilMember, failMember, PauseMembers.every, PauseMembers.backoff,
        pollsMember, followMember,
    ]
    private static let untilMember = OptionalMember("until", .predicate(on: .result))
    private static let failMember = OptionalMember("fail_if", .predicate(on: .result))
    private static let pollsMember = DefaultedMember<Int>(
        "max_polls", SpecForm { $0.int($1, in: 1...10_000) }, default: pollsDefault)
    private static let followMember = DefaultedMember("follow", .bool, default: false)
    static let makesCalls = true

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> PollSpec? {
        guard let call = CallReader(scope).read(object, &draft, &reading) else { return nil }
        if call.isConditional {
            reading.note(
                at: reading.pointer.appending("request").appending("conditional"), .conflict,
                "A poll looks at every answer; \"conditional\" is for a call that is made once. Leave it out."
            )
        }
        var poll = PollSpec(call: call)
        poll.until = untilMember.read(object, scope, &reading)
        poll.failIf = failMember.read(object, scope, &reading)
        poll.follows = followMember.read(object, scope, &reading)
        if let wait = PauseMembers.read(object, scope, &reading) { poll.wait = wait }
        poll.pollsMax = pollsMember.read(object, scope, &reading)
        if object["until"] == nil && !poll.follows {
            reading.missing(
                "until",
                "A poll needs a predicate for the end, or follows the upstream's location (\"follow\": true).",
                suggestion: #""until": {"at": "/body/status", "equals": "done"}"#)
        }
        return poll
    }

    var outgoingCall: NetworkSpec? { call }

    var planWords: [String] {
        var words = call.planWords
        if case .fixed(let duration) = wait { words.append("every \(DurationText.text(duration))") }
        return words + ["at most \(pollsMax) times"]
    }

    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        PollOperation(
            name: spec.name, poll: self, expect: spec.expect ?? Expectation(), references: references
        ).recipe(retry: spec.retry ?? .standard)
    }
}
