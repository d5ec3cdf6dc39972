internal import StrictJSON

/// Requires a permission. If it is undecided, it is requested first (see `Authorize`); a `SilentCondition` only checks.
///
/// It fails with `condition.grant_unavailable`, or with `condition.not_authorized`, whose `published_error.info`
/// has `grant`, `state`, `granted` and `required`. The status counts, not the outcome of the request: a
/// permission given in another way is enough.
public struct AuthorizedFor: OperationCondition {
    private let capability: any Capability
    private let scopes: Set<String>

    /// Needs `scopes` of `capability`.
    public init(_ capability: any Capability, scopes: Set<String> = []) {
        self.capability = capability
        self.scopes = scopes
    }

    /// `authorized_for …`
    public var name: String { "authorized_for \(capability.name)" }
    /// Made of capability and scopes.
    public var identity: ConditionIdentity? {
        ConditionIdentity("authorized_for", [capability.name] + scopes.sorted())
    }

    /// The request, if the permission is undecided.
    public func prerequisites(in context: ConditionContext) async -> [Prerequisite] {
        guard !context.isSilent, !capability.asksWithinCondition, await capability.isAvailable(),
            let status = try? await capability.status(),
            status.isUndecided(at: context.environment.clock.now)
        else { return [] }
        return [Prerequisite(Authorize(capability, scopes: scopes))]
    }

    /// Checks the status.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        do {
            if capability.asksWithinCondition && !context.isSilent { try await ask(in: context) }
            guard await capability.isAvailable() else { return .failed(.unavailable(capability)) }
            let now = context.environment.clock.now
            let status = try await capability.status()
            if capability.isEnough(status, for: scopes, at: now) { return .satisfied }
            let causes = context.prerequisites.flatMap(\.ending.errors)
            return .failed(refusal(status, at: now, causes: causes))
        } catch {
            return .failed(.brokenCondition("\(name) could not be evaluated.", because: error))
        }
    }

    private func ask(in context: ConditionContext) async throws {
        guard await capability.isAvailable(),
            try await capability.status().isUndecided(at: context.environment.clock.now)
        else { return }
        try await capability.request(scopes, in: context)
    }

    private func refusal(
        _ status: AuthorizationStatus, at now: Timestamp, causes: [AOperationError]
    ) -> AOperationError {
        let word = status.word(at: now)
        var lack = "is \(word)"
        var info = JSONObject()
        info["grant"] = .string(capability.name)
        info["state"] = .string(word)
        if case .granted(let granted, _) = status {
            info["granted"] = Self.list(granted)
            let missing = scopes.subtracting(granted).sorted()
            if word == "granted" {
                lack = missing.isEmpty ? "is not enough" : "does not cover \(missing.joined(separator: ", "))"
            }
        }
        info["required"] = Self.list(scopes)
        var error = AOperationError(
            .conditionNotAuthorized, detail: "The permission for \(capability.name) \(lack).",
            stage: .condition, causes: causes)
        error.publishedError = .init(domain: "grant", code: 0, description: error.detail, info: info)
        return error
    }

    private static func list(_ scopes: Set<String>) -> JSONValue {
        .array(scopes.sorted().map(JSONValue.string))
    }
}
