/// The texts of `--help`.
package enum HelpText {
    /// `jobserver COMMAND --help`
    /// - Parameter isWhole: whether flags that few need are shown, too: `--help all`.
    package static func text(of command: Command, isWhole: Bool = true) -> String {
        var text = command.text + "\n\n"
        for (index, line) in command.usage.enumerated() {
            text += (index == 0 ? "usage: " : "       ") + "jobserver " + line + "\n"
        }
        if command.groups.isEmpty {
            if !command.flags.isEmpty { text += "\n" + list(command.flags) }
        } else if isWhole {
            for group in command.groups {
                text += "\n\(group.title):\n" + list(group.flags(of: command.flags))
            }
        } else {
            text += "\n" + list(command.common.compactMap { name in command.flags.first { $0.name == name } })
            text += "\nAll \(command.flags.count) flags: jobserver \(command.name) --help all\n"
        }
        if !command.notes.isEmpty { text += "\n" + command.notes + "\n" }
        guard !command.examples.isEmpty else { return text }
        text += "\n" + (command.examples.count == 1 ? "example:\n" : "examples:\n")
        return text + command.examples.map { "  \($0)\n" }.joined()
    }

    /// The commands by section, one in a line.
    package static func list(_ commands: [Command]) -> String {
        let width = (commands.map { head(of: $0).count }.max() ?? 0) + 2
        return Command.Section.allCases.compactMap { section -> String? in
            let lines = commands.filter { $0.section == section }
                .map { "  " + padded(head(of: $0), width) + $0.summary + "\n" }
            return lines.isEmpty ? nil : "\(section.rawValue):\n" + lines.joined()
        }.joined(separator: "\n")
    }

    private static func head(of command: Command) -> String {
        command.operands.isEmpty ? command.name : "\(command.name) \(command.operands)"
    }

    private static func list(_ flags: [Flag]) -> String {
        let heads = flags.map { "  --\($0.name) \($0.value ?? "")" }
        let width = (heads.map(\.count).max() ?? 0) + 2
        var text = ""
        for (head, flag) in zip(heads, flags) {
            let lines = flag.help.split(separator: "\n")
            text += padded(head, width) + (lines.first ?? "") + "\n"
            for line in lines.dropFirst() { text += padded("", width) + line + "\n" }
        }
        return text
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
