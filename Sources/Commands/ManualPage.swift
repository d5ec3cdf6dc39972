/// The manual page of the program, in the man macros.
package enum ManualPage {
    /// - Parameters:
    ///   - introduction: paragraphs for the description.
    ///   - codes: the exit codes with their meaning.
    package static func text(_ commands: [Command], introduction: String, codes: [(Int32, String)]) -> String
    {
        var page = """
            .TH JOBSERVER 1 "" "jobserver \(escaped(Version.text))" "User Commands"
            .SH NAME
            jobserver \\- runs HTTP work durably
            .SH SYNOPSIS
            .B jobserver
            .I COMMAND
            [\\fIFLAGS\\fR]
            .SH DESCRIPTION

            """
        page += paragraphs(introduction)
        for section in Command.Section.allCases {
            let members = commands.filter { $0.section == section }
            guard !members.isEmpty else { continue }
            page += ".SH \"\(section.rawValue.uppercased()) COMMANDS\"\n"
            for command in members { page += part(of: command) }
        }
        page += ".SH \"EXIT STATUS\"\n"
        for (code, meaning) in codes { page += ".TP\n.B \(code)\n\(line(meaning))\n" }
        return page + """
            .SH ENVIRONMENT
            Most flags can also be set by an environment variable: \\fB\\-\\-log\\-level\\fR by
            \\fBJOBSERVER_LOG_LEVEL\\fR. A flag wins.

            """
    }

    private static func part(of command: Command) -> String {
        var text = ".SS \"\(line(command.name))\"\n"
        for usage in command.usage { text += ".B jobserver \(line(usage))\n.br\n" }
        text += ".PP\n" + paragraphs(command.text)
        for flag in command.flags {
            text += ".TP\n\\fB\\-\\-\(escaped(flag.name))\\fR"
            if let value = flag.value { text += " \\fI\(escaped(value))\\fR" }
            text += "\n\(line(flag.help.replacing("\n", with: " ")))\n"
        }
        if !command.notes.isEmpty { text += ".PP\n" + paragraphs(command.notes) }
        guard !command.examples.isEmpty else { return text }
        return text + ".PP\n.nf\n" + command.examples.map { "\(line($0))\n" }.joined() + ".fi\n"
    }

    private static func paragraphs(_ text: String) -> String {
        text.split(separator: "\n\n").map { paragraph in
            paragraph.split(separator: "\n").map { "\(line(String($0)))\n" }.joined()
        }.joined(separator: ".PP\n")
    }

    /// A line of text: a leading dot or apostrophe would be a macro.
    private static func line(_ text: String) -> String {
        let escaped = escaped(text)
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("…", with: "...")
    }
}
