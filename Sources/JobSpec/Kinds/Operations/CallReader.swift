internal import StrictJSON

/// Reads what all operations have in common that make calls: `request`, `connection`, `save`, `expect` and `retry`.
struct CallReader {
    let scope: SpecScope

    init(_ scope: SpecScope) { self.scope = scope }

    static let requestMember = RequiredMember<NetworkSpec>(
        "request", SpecForm { RequestReader($2).read($1, defaultMethod: "GET", &$0) },
        remedy: "Write the URL to call.", suggestion: #""request": "https://example.com/""#)
    static let postMember = RequiredMember<NetworkSpec>(
        "request", SpecForm { RequestReader($2).read($1, defaultMethod: "POST", &$0) },
        remedy: requestMember.remedy, suggestion: requestMember.suggestion)
    static let connectionMember = OptionalMember("connection", .name)
    static let targetMember = OptionalMember<ArtifactSpec>("save", SpecForm { TargetReader.target($1, &$0) })
    static let streamMember = OptionalMember<StreamSpec>(
        "stream", SpecForm { StreamReader.stream($1, $2, &$0) })
    static let expectMember = OptionalMember<Expectation>(
        "expect", SpecForm { ExpectationReader($2).expectation($1, &$0) })
    static let retryMember = OptionalMember<RetryMembers>("retry", SpecForm { RetryReader.members($1, &$0) })

    /// The call in `object`, with its settings in `draft`; nil when it is invalid.
    /// - Parameter request: the member with the request, and its default method.
    func read(
        _ object: JSONObject, _ draft: inout OperationDraft,
        request: RequiredMember<NetworkSpec> = CallReader.requestMember, _ reading: inout SpecReading
    ) -> NetworkSpec? {
        let defaults = scope.defaults
        let retry = Self.retryMember.read(object, scope, &reading) ?? RetryMembers()
        draft.retry = retry.rule(over: defaults.retry)
        draft.timeout = draft.timeout ?? defaults.timeouts.total
        draft.sources = sources(retry, draft.timeouts)
        draft.expect = Self.expectMember.read(object, scope, &reading)
        let isWritten = object[request.name] != nil
        let name = isWritten ? Self.connectionMember.read(object, scope, &reading) : nil
        let connection = name ?? defaults.connection
        let inside = scope.inRequest(hasBase: connection != nil)
        guard var call = request.read(object, inside, &reading) else { return nil }
        if let target = Self.targetMember.read(object, scope, &reading) { call.target = target }
        call.target.stream = Self.streamMember.read(object, scope, &reading)
        draft.timeouts.apply(to: &call, over: defaults.timeouts)
        call.connection = connection
        return call
    }

    /// The source of each setting of the call that is written somewhere.
    private func sources(_ retry: RetryMembers, _ timeouts: TimeoutMembers) -> [String: SettingSource] {
        var sources: [String: SettingSource] = [:]
        for name in scope.defaults.retry.changes.keys { sources["retry." + name] = .defaults }
        for name in scope.defaults.timeouts.names { sources["timeouts." + name] = .defaults }
        for name in retry.changes.keys { sources["retry." + name] = .spec }
        for name in timeouts.names { sources["timeouts." + name] = .spec }
        return sources
    }

    /// Notifications and callbacks create their content themselves. A stored spec may have unused content.
    static func checkContent(
        of request: JSONObject?, _ call: NetworkSpec?, _ rule: String, _ subject: String,
        _ reading: inout SpecReading
    ) {
        reading.enter("request")
        defer { reading.leave() }
        for name in RequestReader.contents where request?[name] != nil && reading.kinds != nil {
            reading.note(member: name, .conflict, rule)
        }
        if let call, !["POST", "PUT", "PATCH"].contains(call.method) {
            reading.note(
                member: "method", .badMethod, "\(subject) has content, which \(call.method) does not carry.",
                suggestion: "POST")
        }
    }
}
