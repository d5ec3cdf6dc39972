/// Exit codes of the program. Stable, since scripts rely on them.
enum ExitCode: Int32, Sendable {
    case success = 0
    /// The command failed: the spec has problems, the token does not exist.
    case failure = 1
    /// The command line is invalid.
    case usage = 2
    /// The configuration is invalid: a public address without tokens, a bad token file, a bad certificate.
    case configuration = 3
    /// The address is not available.
    case address = 4
    /// The data directory is in use, not writable or damaged.
    case data = 5
}

/// An error that ends the program.
struct CommandFailure: Error, Sendable {
    var code: ExitCode
    /// The message for standard error: what went wrong and what to do.
    var text: String
}
