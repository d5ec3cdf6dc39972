import Commands

/// `jobserver completion` and `jobserver man`: texts made from the table of commands.
enum ProgramTexts {
    static func completion(_ arguments: some Sequence<String>) throws(CommandFailure) -> String {
        let given = try Arguments(arguments, flags: [], command: "completion")
        guard let word = given.words.first, given.words.count == 1,
            let shell = ShellCompletion(rawValue: word)
        else {
            throw .usage("Say for which shell: jobserver completion bash, zsh or fish", command: "completion")
        }
        return shell.script(CommandTable.all)
    }

    /// The manual page of the program, of a command with groups of flags, or of a spec.
    static func manual(_ arguments: some Sequence<String>) throws(CommandFailure) -> String {
        let given = try Arguments(arguments, flags: [], command: "man")
        guard given.words.count <= 1 else {
            throw .usage("One page, not \(given.words.count)", command: "man")
        }
        let date = BuildFacts.date
        switch given.words.first {
        case nil:
            return ManualPage.commands(
                CommandTable.all,
                introduction: """
                    jobserver is a server that runs HTTP work durably: calls, downloads, schedules and graphs of them, each
                    a job that survives crashes and restarts. Jobs are submitted as JSON over HTTP; its own commands do the
                    same from a shell.
                    """, codes: ExitCode.allCases.map { ($0.rawValue, $0.meaning) }, date: date)
        case "spec":
            return ManualPage.format(
                "jobserver-spec", "job specs of jobserver", specSections, date: date)
        case .some(let word):
            guard let command = CommandTable.command(word), command.page == "jobserver-\(word)" else {
                throw .usage("There is no page \"\(word)\", only serve and spec", command: "man")
            }
            return ManualPage.command(command, date: date)
        }
    }

    private static var specSections: [ManualPage.Section] {
        [
            ManualPage.Section(
                title: "Description",
                text: """
                    A job spec is one JSON object: an operation, which may be a group of others, and what applies to the whole
                    job. The commands of jobserver(1) read it as YAML, too (the core schema of YAML 1.2), from files that end in
                    .yaml or .yml. Unknown members are errors. jobserver check FILE shows all problems with their lines, or the
                    plan with all defaults.

                    Each section below is a schema of openapi.yaml; JobSpec is the first.
                    """)
        ] + SpecManual.sections(of: EmbeddedFile.openapi)
    }
}
