/// A grant from the environment's `GrantBook`. It is requested within the condition: the operation waits durably, under
/// the grant's name, until it is decided.
package struct HeldGrant: Capability {
    package let name: String
    /// Nil when there is none: then the condition is broken.
    let book: (any GrantBook)?

    package init(name: String, book: (any GrantBook)?) {
        self.name = name
        self.book = book
    }

    /// The interval at which a waiting operation checks while its tree stays in memory for other reasons.
    private static let lookEvery = Duration.seconds(1)

    package var asksWithinCondition: Bool { true }

    package func isAvailable() async -> Bool { (try? await known())?.decided != .unavailable }

    package func status() async throws -> AuthorizationStatus {
        let standing = try await known()
        return switch standing.decided {
        case .granted, .expired: .granted(scopes: Set(standing.scopes), until: standing.expiresAt)
        case .denied, .unavailable: .denied
        case .undetermined: .undetermined
        }
    }

    /// A grant without scopes is granted for all of them.
    package func isEnough(_ status: AuthorizationStatus, for scopes: Set<String>, at now: Timestamp) -> Bool {
        guard case .granted(let granted, _) = status, !status.isUndecided(at: now) else { return false }
        return granted.isEmpty || scopes.isSubset(of: granted)
    }

    /// Unused: the grant is requested within the condition.
    package func request(_ scopes: Set<String>, in context: OperationContext) async throws {}

    package func request(_ scopes: Set<String>, in context: ConditionContext) async throws {
        guard let book else { throw Self.missing }
        let clock = context.environment.clock
        let request = try await book.request(name, scopes: scopes, for: context.environment.seed)
        guard request.status(at: clock.now).isOpen else { return }
        try await context.core.lasting(OperationWait(reason: .grant, key: name)) { _ in
            while try await book.standing(of: name).status(at: clock.now).isOpen {
                try await clock.sleep(for: Self.lookEvery)
            }
        }
    }

    private func known() async throws -> GrantStanding {
        guard let book else { throw Self.missing }
        return try await book.standing(of: name)
    }

    private static let missing = AOperationError(
        .conditionBroken, detail: "There is no store of grants here.", stage: .condition)
}
