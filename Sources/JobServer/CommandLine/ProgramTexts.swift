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

    static func manual(_ arguments: some Sequence<String>) throws(CommandFailure) -> String {
        let given = try Arguments(arguments, flags: [], command: "man")
        if let word = given.words.first { throw .usage("\"\(word)\" is not expected here", command: "man") }
        return ManualPage.text(
            CommandTable.all,
            introduction: """
                jobserver is a server that runs HTTP work durably: calls, downloads, schedules and graphs of them, each
                a job that survives crashes and restarts. Jobs are submitted as JSON over HTTP; its own commands do the
                same from a shell.
                """, codes: ExitCode.allCases.map { ($0.rawValue, $0.meaning) })
    }
}
