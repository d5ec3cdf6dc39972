internal import Commands

/// `jobserver run`: submits a job, waits for it and prints its result.
enum RunAction {
    static let run = Command(
        "run", "FILE|- or -- curl …", in: .jobs, "submit a job, wait, and print its result",
        usage: ["run FILE|- [FLAGS]", "run [FLAGS] -- curl …"],
        text: """
            Submits a job spec in JSON or YAML, waits for its end, and writes its result to standard output, and nothing
            else. On a terminal it shows the progress on standard error. Exits 0 when the job has succeeded, 1 otherwise. A server
            that restarts meanwhile is waited for.

            After -- comes a curl command line, which the server runs as a job. The output is what curl would print and
            the exit code that of curl, also with -o, -O, -i, -I, -D, -f and -w; files that it names are read here. It
            makes one attempt unless it has --retry; an attempt that a crash of the server interrupts is repeated when
            that is safe.
            """,
        flags: ServerAddress.flags + [
            SpecInput.formFlag, SubmitAction.keyFlag, Action.timeoutFlag, Action.quietFlag, Action.jsonFlag,
        ],
        examples: [
            "jobserver run job.json > result.json",
            "jobserver run -- curl --retry 8 -fo report.pdf https://reports.example/march.pdf",
        ], completes: .command)

    static func run(_ arguments: [String], environment: [String: String]) async throws(CommandFailure)
        -> Int32
    {
        guard let dashes = arguments.firstIndex(of: "--") else {
            return try await SubmitAction.run(Action(run, arguments, environment: environment))
        }
        let action = try Action(run, arguments[..<dashes], environment: environment)
        let words = Array(arguments[(dashes + 1)...])
        if let word = action.given.words.first {
            throw action.usage("\"\(word)\" and a command after -- are two jobs: choose one")
        }
        guard let name = words.first, name == "curl" || name.hasSuffix("/curl") else {
            throw action.usage(
                "After -- comes a curl command line: jobserver run -- curl https://example.com/")
        }
        return try await CurlRun.run(action, words)
    }
}
