/// The values of secrets, or their names, depending on the purpose.
package enum SecretAccess: Sendable {
    /// A label with its name, for texts that people see before anything is sent.
    case named
    /// The value, which the scrubber knows from then on.
    case values(of: (any SecretVault)?, known: SecretScrubber, urls: CallbackHandout? = nil)

    /// The secret as text.
    /// - Throws: `auth.secret_missing`; `reference.type` when it is not UTF-8.
    package func text(of name: String) throws(AOperationError) -> String {
        guard case .values = self else { return Self.label(name) }
        guard let text = String(validating: try bytes(of: name), as: UTF8.self) else {
            throw AOperationError(
                .referenceType, detail: "The secret \(name) is not text, and here a text is needed.")
        }
        return text
    }

    /// The value of the secret.
    /// - Throws: `auth.secret_missing`.
    package func bytes(of name: String) throws(AOperationError) -> [UInt8] {
        guard case .values(let vault, let scrubber, _) = self else { return Array(Self.label(name).utf8) }
        guard let value = vault?.secret(named: name) else { throw Self.missing(name) }
        scrubber.know(value)
        return value
    }

    /// Registers a derived value that contains a secret with the scrubber.
    package func hide(_ bytes: [UInt8]) {
        if case .values(_, let scrubber, _) = self { scrubber.know(passing: bytes) }
    }

    /// The callback URL of the operation at `path`, which `name` names.
    /// - Throws: `callback.unavailable`.
    package func callbackURL(of path: [String], named name: String) throws(AOperationError) -> String {
        guard case .values(_, _, let urls?) = self else { return "(callback URL of \(name))" }
        return try urls.url(of: path)
    }

    /// The label of a secret in texts for people.
    private static func label(_ name: String) -> String { "(secret \(name))" }

    /// The error of a secret that is not there. Nothing was sent.
    package static func missing(_ name: String) -> AOperationError {
        var error = AOperationError(
            .authSecretMissing,
            detail: "There is no secret \(name). Store it with PUT /v1/secrets/\(name), then retry the job.")
        error.delivery = "not_sent"
        return error
    }
}

extension OperationContext {
    /// The access of this work to secrets.
    package var secrets: SecretAccess {
        .values(
            of: core.environment.vault, known: core.environment.scrubber, urls: CallbackHandout(core: core))
    }
}
