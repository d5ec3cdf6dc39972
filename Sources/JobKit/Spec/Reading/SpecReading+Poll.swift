internal import StrictJSON

/// Operations that make calls of a certain kind.
extension SpecReading {
    mutating func poll(_ object: JSONObject, _ draft: inout OperationDraft) -> PollSpec? {
        guard let call = call(object, &draft) else { return nil }
        if call.isConditional {
            note(
                at: pointer.appending("request").appending("conditional"), .conflict,
                "A poll looks at every answer; \"conditional\" is for a call that is made once. Leave it out."
            )
        }
        var poll = PollSpec(call: call)
        poll.until = object["until"].flatMap { value in
            inside("until") { $0.predicate(value, on: .result) }
        }
        poll.failIf = object["fail_if"].flatMap { value in
            inside("fail_if") { $0.predicate(value, on: .result) }
        }
        poll.follows = object["follow"].flatMap { value in inside("follow") { $0.bool(value) } } ?? false
        if let wait = pause(object) { poll.wait = wait }
        if let value = object["max_polls"] {
            poll.pollsMax = inside("max_polls") { $0.int(value, in: 1...10_000) } ?? PollSpec.pollsDefault
        }
        if object["until"] == nil && !poll.follows {
            missing(
                "until",
                "A poll says when the other side is done, or follows what it says (\"follow\": true).",
                suggestion: #""until": {"at": "/body/status", "equals": "done"}"#)
        }
        return poll
    }

    mutating func notify(_ object: JSONObject, _ draft: inout OperationDraft) -> NotifySpec? {
        let call = call(object, &draft, defaultMethod: "POST")
        checkContent(
            of: object["request"]?.object, call,
            "A notification makes its own content. Put it into \"data\" beside \"request\".", "A notification"
        )
        guard let value = object["message"] else {
            missing(
                "message", "Say what is to be told.", suggestion: #""message": "The nightly run is over.""#)
            return nil
        }
        let message = inside("message") { $0.textBinding(value) }
        guard var call else { return nil }
        if call.idempotencyKey == nil { call.idempotencyKey = .auto }
        var notification = NotifySpec(request: call, message: message)
        notification.title = object["title"].map { value in inside("title") { $0.textBinding(value) } }
        notification.data = object["data"].map { value in inside("data") { $0.binding(value) } }
        return notification
    }

    /// What tells somebody something makes its own content. What was accepted once may have one that is not used.
    mutating func checkContent(
        of request: JSONObject?, _ call: NetworkSpec?, _ rule: String, _ subject: String
    ) {
        enter("request")
        defer { leave() }
        for name in Self.contents where request?[name] != nil && kinds != nil {
            note(member: name, .conflict, rule)
        }
        if let call, !["POST", "PUT", "PATCH"].contains(call.method) {
            note(
                member: "method", .badMethod, "\(subject) has content, which \(call.method) does not carry.",
                suggestion: "POST")
        }
    }
}
