/// A flag of a command.
package struct Flag: Sendable, Hashable {
    /// The name without the dashes.
    package var name: String
    /// The name of the value in the help; nil for a switch.
    package var value: String?
    /// The purpose, the default and the range.
    package var help: String
    /// Whether the flag may be repeated.
    package var isRepeatable = false
    /// Whether a `JOBSERVER_…` environment variable may set the flag.
    package var hasVariable = true

    package init(
        name: String, value: String?, help: String, isRepeatable: Bool = false, hasVariable: Bool = true
    ) {
        self.name = name
        self.value = value
        self.help = help
        self.isRepeatable = isRepeatable
        self.hasVariable = hasVariable
    }

    /// A switch.
    package init(name: String, help: String, hasVariable: Bool = true) {
        self.init(name: name, value: nil, help: help, hasVariable: hasVariable)
    }

    /// The prefix of all environment variables.
    package static let variablePrefix = "JOBSERVER_"

    /// The environment variable of the flag: `JOBSERVER_` and the name in capitals with underscores.
    package var variable: String {
        Self.variablePrefix + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}
