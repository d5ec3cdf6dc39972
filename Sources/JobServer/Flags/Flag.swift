/// One flag of a command.
struct Flag: Sendable, Hashable {
    /// Its name without the dashes.
    var name: String
    /// What stands for its value in the help; nil for a switch without a value.
    var value: String?
    /// What it does, its default and its range.
    var help: String
    /// Whether it may be given more than once.
    var isRepeatable = false
    /// Whether `JOBSERVER_…` may set it, too.
    var hasVariable = true

    /// What the variables of all flags begin with.
    static let variablePrefix = "JOBSERVER_"

    /// The environment variable that sets it: `JOBSERVER_` and the name in capitals with underscores.
    var variable: String {
        Self.variablePrefix + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}
