internal import JobKit
internal import StrictJSON

/// The kind `network`: one call.
extension NetworkSpec: BuiltInKind {
    static let name = "network"
    static let members: [any KindMember] = [
        CallReader.requestMember, CallReader.connectionMember, CallReader.targetMember,
        CallReader.streamMember, CallReader.expectMember, CallReader.retryMember,
    ]
    static let makesCalls = true

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> NetworkSpec? {
        CallReader(scope).read(object, &draft, &reading)
    }

    var outgoingCall: NetworkSpec? { self }
    var makesCall: Bool { true }
    var planWords: [String] { [method, url] }

    /// A safe request (RFC 9110, section 9.2.1) that the spec states as a whole. An idempotency key shows the job to
    /// others, a validator is kept after it, and a credential may ask for an approval.
    var onlyReads: Bool {
        (method == "GET" || method == "HEAD") && idempotencyKey == nil && !isConditional && body == nil
            && openCredential == nil && vars.isEmpty
            && (query + headers).allSatisfy { if case .literal = $0.value { true } else { false } }
    }

    func isPlain(in operation: OperationSpec) -> Bool {
        auth.isNone && (method == "GET" || idempotencyKey != nil) && secretNames.isEmpty
            && openCredential == nil
    }

    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        NetworkOperation(
            name: spec.name, call: self, expect: spec.expect ?? Expectation(), references: references
        ).recipe(retry: spec.retry ?? .standard)
    }

    /// The request with everything filled in.
    func approvalSubject(
        in context: ConditionContext, _ references: ReferenceReader
    ) async throws(AOperationError) -> ApprovalSubject {
        let connection = try connection(in: references.board.services.connections)
        let (seed, path) = (context.environment.seed, context.core.callPath)
        let request = try await references.evaluate { lookup throws(AOperationError) in
            try makeCall(lookup: lookup, seed: seed, path: path, connection: connection)
        }
        return ApprovalSubject(call: request, as: self, of: connection)
    }
}
