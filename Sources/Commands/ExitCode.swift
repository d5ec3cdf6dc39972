/// Exit codes of the program. Stable, since scripts rely on them.
package enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    /// The command failed: the spec has problems, the token does not exist.
    case failure = 1
    /// The command line is invalid, or a file that it names is not there.
    case usage = 2
    /// The configuration is invalid: a public address without tokens, a bad token file, a bad certificate.
    case configuration = 3
    /// The address is not available.
    case address = 4
    /// The data directory is in use, not writable or damaged.
    case data = 5
    /// The database of `--store` cannot be reached: it is down, still starting, or the address is wrong.
    case database = 6
    /// No server answers at the address, or none that is ready.
    case unreachable = 10
    /// The job has not ended in the time given.
    case unfinished = 11
    /// Of many, some were refused or did not succeed.
    case partial = 12

    /// The meaning, for people.
    package var meaning: String {
        switch self {
        case .success: "Success."
        case .failure: "The command failed, or the job did: the spec has problems, the token does not exist."
        case .usage: "The command line is invalid, or a file that it names is not there or cannot be read."
        case .configuration:
            "The configuration is invalid: a public address without tokens, a bad token file, a bad certificate."
        case .address: "The address is not available."
        case .data: "The data directory cannot be used: in use, not writable, damaged."
        case .database:
            "The database of --store cannot be reached. It may be down or still starting: try again, as systemd does."
        case .unreachable: "No server answers at the address, or none that is ready (502, 503, 504)."
        case .unfinished: "The job has not ended in the time given."
        case .partial: "Of many rows, some were refused, or their jobs did not succeed; the others are fine."
        }
    }
}

/// An error that ends the program.
package struct CommandFailure: Error, Sendable {
    package var code: ExitCode
    /// The message for standard error: what went wrong and what to do.
    package var text: String
    /// Whether the text is the output of the command, as JSON is, and goes to standard output.
    package var isOutput: Bool

    package init(code: ExitCode, text: String, isOutput: Bool = false) {
        self.code = code
        self.text = text
        self.isOutput = isOutput
    }
}
