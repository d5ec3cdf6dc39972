/// A command of the program: the source of its help, of shell completion and of the manual page.
package struct Command: Sendable {
    /// The word after `jobserver`.
    package var name: String
    /// The operands in the list of commands, such as `FILE|-`.
    package var operands: String
    /// One line that says what the command does.
    package var summary: String
    /// The section of the list of commands.
    package var section: Section
    /// The lines after `usage:`, without `jobserver`.
    package var usage: [String]
    /// The paragraphs before the usage.
    package var text: String
    package var flags: [Flag]
    /// The flags by subject; empty when there are few.
    package var groups: [FlagGroup] = []
    /// The flags that the short help shows, when there are groups.
    package var common: [String] = []
    /// The manual page with the flags, when there are groups.
    package var page = ""
    /// The text after the flags.
    package var notes: String
    /// Complete command lines, for the help and the manual page.
    package var examples: [String]
    /// The values that a shell completes.
    package var completes: Completion

    package enum Section: String, Sendable, CaseIterable {
        case server = "Server"
        case jobs = "Jobs"
        case stored = "Queues, schedules and other settings"
        case program = "This program"
    }

    /// The operands of a command, for completion.
    package enum Completion: Sendable, Hashable {
        case nothing
        case files
        case words([String])
        /// One of the words, and then files.
        case verbs([String])
        /// A command with its arguments.
        case command
    }

    /// The same with its flags in groups.
    package func grouped(_ groups: [FlagGroup], common: [String], page: String) -> Command {
        var command = self
        command.page = page
        command.groups = groups
        command.common = common
        return command
    }

    package init(
        _ name: String, _ operands: String = "", in section: Section, _ summary: String, usage: [String],
        text: String, flags: [Flag] = [], notes: String = "", examples: [String] = [],
        completes: Completion = .nothing
    ) {
        self.name = name
        self.operands = operands
        self.summary = summary
        self.section = section
        self.usage = usage
        self.text = text
        self.flags = flags
        self.notes = notes
        self.examples = examples
        self.completes = completes
    }
}
