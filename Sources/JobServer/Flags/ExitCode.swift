/// How the program ends. Scripts may rely on these numbers.
enum ExitCode: Int32, Sendable {
    /// All went well.
    case success = 0
    /// The command did not succeed: the spec has problems, the token does not exist.
    case failure = 1
    /// The command line is wrong.
    case usage = 2
    /// The configuration cannot be served: a public address without tokens, a bad token file, a bad certificate.
    case configuration = 3
    /// The address cannot be listened on.
    case address = 4
    /// The data directory cannot be used: in use, not writable, damaged.
    case data = 5
}

/// The program ends early, with something to say.
struct CommandFailure: Error, Sendable {
    /// How it ends.
    var code: ExitCode
    /// What a person reads on standard error: what went wrong and what to do.
    var text: String
}
