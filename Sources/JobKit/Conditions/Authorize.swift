/// Looks whether a permission was given; asks nobody.
public struct GetAuthorizationStatus: AOperation {
    /// What is known about a permission.
    public struct Report: Sendable, Hashable {
        /// Whether the capability exists here at all.
        public let isAvailable: Bool
        /// What was decided; nil when it is not available.
        public let status: AuthorizationStatus?
    }

    private let capability: any Capability

    /// Looks at `capability`.
    public init(_ capability: any Capability) { self.capability = capability }

    /// `authorization status of …`
    public var name: String { "authorization status of \(capability.name)" }

    /// Looks.
    public func execute(in context: AOperationContext) async throws -> Report {
        guard await capability.isAvailable() else { return Report(isAvailable: false, status: nil) }
        return Report(isAvailable: true, status: try await capability.status())
    }
}

/// Asks for a permission unless it was decided about before, and gives what was decided. One at a time for each
/// capability: whoever comes second looks first whether the question was answered meanwhile.
public struct Authorize: AOperation {
    private let capability: any Capability
    private let scopes: Set<String>

    /// Asks for `scopes` of `capability`.
    public init(_ capability: any Capability, scopes: Set<String> = []) {
        self.capability = capability
        self.scopes = scopes
    }

    /// `authorize …`
    public var name: String { "authorize \(capability.name)" }

    /// The operation, exclusive for its capability.
    public var recipe: AOperationRecipe<AuthorizationStatus> {
        AOperationRecipe(name: name) { context in try await self.execute(in: context) }
            .condition(MutualExclusion("authorize:\(capability.name)"))
    }

    /// Asks when nobody decided yet.
    /// - Throws: `condition.capability_unavailable`, or what the capability throws.
    public func execute(in context: AOperationContext) async throws -> AuthorizationStatus {
        guard await capability.isAvailable() else { throw AOperationError.unavailable(capability) }
        let status = try await capability.status()
        guard status.isUndecided(at: context.clock.now) else { return status }
        try await capability.request(scopes, in: context)
        return try await capability.status()
    }
}

extension AOperationError {
    /// The capability does not exist here.
    static func unavailable(_ capability: any Capability) -> AOperationError {
        AOperationError(
            .conditionUnavailable, detail: "\(capability.name) is not available here.", state: .condition)
    }
}
