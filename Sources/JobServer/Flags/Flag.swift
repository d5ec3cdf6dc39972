/// A flag of a command.
struct Flag: Sendable, Hashable {
    /// The name without the dashes.
    var name: String
    /// The name of the value in the help; nil for a switch.
    var value: String?
    /// The purpose, the default and the range.
    var help: String
    /// Whether the flag may be repeated.
    var isRepeatable = false
    /// Whether a `JOBSERVER_…` environment variable may set the flag.
    var hasVariable = true

    /// The prefix of all environment variables.
    static let variablePrefix = "JOBSERVER_"

    /// The environment variable of the flag: `JOBSERVER_` and the name in capitals with underscores.
    var variable: String {
        Self.variablePrefix + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}
