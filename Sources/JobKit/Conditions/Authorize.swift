/// Reads the status of a permission without requesting it.
public struct GetAuthorizationStatus: AOperation {
    /// The availability and status of a permission.
    public struct Report: Sendable, Hashable {
        /// Whether the capability exists.
        public let isAvailable: Bool
        /// The decision; nil when it is not available.
        public let status: AuthorizationStatus?
    }

    private let capability: any Capability

    /// Looks at `capability`.
    public init(_ capability: any Capability) { self.capability = capability }

    /// `authorization status of …`
    public var name: String { "authorization status of \(capability.name)" }

    /// Looks.
    /// - Throws: the error of the capability's `status()`.
    public func execute(in context: OperationContext) async throws -> Report {
        guard await capability.isAvailable() else { return Report(isAvailable: false, status: nil) }
        return Report(isAvailable: true, status: try await capability.status())
    }
}

/// Requests a permission unless it was decided before, and returns the decision. One at a time per capability: the
/// second one first checks whether the decision was made meanwhile.
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
    public var recipe: OperationRecipe<AuthorizationStatus> {
        OperationRecipe(name) { context in try await self.execute(in: context) }
            .condition(MutualExclusion("authorize:\(capability.name)"))
    }

    /// Requests the permission if it is undecided.
    /// - Throws: `condition.grant_unavailable`, or the capability's error.
    public func execute(in context: OperationContext) async throws -> AuthorizationStatus {
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
            .conditionUnavailable, detail: "\(capability.name) is not available here.", stage: .condition)
    }
}
