/// The manual pages of the program, in the man macros.
package enum ManualPage {
    /// The page of all commands, jobserver(1).
    /// - Parameters:
    ///   - introduction: paragraphs for the description.
    ///   - codes: the exit codes with their meaning.
    ///   - date: the date of the program; empty when it is unknown.
    package static func commands(
        _ commands: [Command], introduction: String, codes: [(Int32, String)], date: String
    ) -> String {
        var page = head("jobserver", 1, date, "runs HTTP work durably")
        page += """
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
            page += ".SH \"\(section.rawValue.uppercased())\"\n"
            for command in members { page += part(of: command) }
        }
        page += ".SH \"EXIT STATUS\"\n"
        for (code, meaning) in codes { page += ".TP\n.B \(code)\n\(line(meaning))\n" }
        return page + environment + seeAlso([("jobserver-serve", 1), ("jobserver-spec", 5)])
    }

    /// The page of one command with groups of flags, such as jobserver-serve(1).
    package static func command(_ command: Command, date: String) -> String {
        var page = head(command.page, 1, date, command.summary) + ".SH SYNOPSIS\n"
        for usage in command.usage { page += ".B jobserver \(line(usage))\n.br\n" }
        page += ".SH DESCRIPTION\n" + paragraphs(command.text)
        for group in command.groups {
            page += ".SH \"\(group.title.uppercased())\"\n" + list(group.flags(of: command.flags))
        }
        if !command.notes.isEmpty { page += ".SH NOTES\n" + paragraphs(command.notes) }
        if !command.examples.isEmpty { page += ".SH EXAMPLES\n" + examples(command.examples) }
        return page + seeAlso([("jobserver", 1), ("jobserver-spec", 5)])
    }

    /// A page of a file format, such as jobserver-spec(5).
    /// - Parameters:
    ///   - sections: headings with paragraphs, and below each the members that it describes.
    package static func format(
        _ name: String, _ summary: String, _ sections: [Section], date: String
    ) -> String {
        var page = head(name, 5, date, summary)
        for section in sections {
            page += ".SH \"\(line(section.title.uppercased()))\"\n" + paragraphs(section.text)
            for member in section.members {
                page += ".TP\n\\fB\(line(member.name))\\fR \\fI\(escaped(member.type))\\fR\n"
                page += "\(line(member.text.replacing("\n", with: " ")))\n"
            }
        }
        return page + seeAlso([("jobserver", 1), ("jobserver-serve", 1)])
    }

    /// A section of a page of a file format.
    package struct Section: Sendable {
        package var title: String
        package var text: String
        package var members: [(name: String, type: String, text: String)]

        package init(title: String, text: String, members: [(name: String, type: String, text: String)] = [])
        {
            self.title = title
            self.text = text
            self.members = members
        }
    }

    private static func head(_ name: String, _ section: Int, _ date: String, _ summary: String) -> String {
        let kind = section == 5 ? "File Formats" : "User Commands"
        return """
            .TH \(escaped(name.uppercased())) \(section) "\(escaped(date))" "jobserver \(escaped(Version.text))" "\(kind)"
            .SH NAME
            \(escaped(name)) \\- \(escaped(summary))

            """
    }

    private static let environment = """
        .SH ENVIRONMENT
        Most flags can also be set by an environment variable: \\fB\\-\\-log\\-level\\fR by
        \\fBJOBSERVER_LOG_LEVEL\\fR. A flag wins.

        """

    private static func seeAlso(_ pages: [(name: String, section: Int)]) -> String {
        ".SH \"SEE ALSO\"\n"
            + pages.map { ".BR \(escaped($0.name)) (\($0.section))" }.joined(separator: " ,\n") + "\n"
    }

    private static func part(of command: Command) -> String {
        var text = ".SS \"\(line(command.name))\"\n"
        for usage in command.usage { text += ".B jobserver \(line(usage))\n.br\n" }
        text += ".PP\n" + paragraphs(command.text)
        if command.groups.isEmpty {
            text += list(command.flags)
        } else {
            text += "The flags are in\n.BR \(escaped(command.page)) (1).\n"
        }
        if !command.notes.isEmpty { text += ".PP\n" + paragraphs(command.notes) }
        return command.examples.isEmpty ? text : text + ".PP\n" + examples(command.examples)
    }

    private static func list(_ flags: [Flag]) -> String {
        flags.map { flag in
            let value = flag.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
            return ".TP\n\\fB\\-\\-\(escaped(flag.name))\\fR\(value)\n"
                + "\(line(flag.help.replacing("\n", with: " ")))\n"
        }.joined()
    }

    private static func examples(_ lines: [String]) -> String {
        ".nf\n" + lines.map { "\(line($0))\n" }.joined() + ".fi\n"
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
