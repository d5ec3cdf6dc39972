internal import Commands
internal import EventIO
internal import StrictJSON

/// `jobserver submit` and `jobserver run` of a spec.
enum SubmitAction {
    static let keyFlag = Flag(
        name: "idempotency-key", value: "KEY",
        help: "a repetition with the same key within 24 hours finds the job of the first", hasVariable: false)

    static let submit = Command(
        "submit", "FILE|-", in: .jobs, "submit a job and print its id", usage: ["submit FILE|- [FLAGS]"],
        text: """
            Submits the job spec in a file, or on standard input for -, and prints the id of the new job. A file that
            ends in .sh is read as curl command lines.
            """,
        flags: ServerAddress.flags + [keyFlag, Action.jsonFlag],
        examples: [
            "id=$(jobserver submit job.json)",
            #"echo '{"type": "delay", "for": "1s"}' | jobserver submit -"#,
        ], completes: .files)

    static func submit(_ action: Action) async throws(CommandFailure) -> Int32 {
        let (job, _) = try await made(action, "submit")
        try action.say(action.isJSON ? job.json.text : job.id)
        return 0
    }

    /// Submits, waits, and writes the result to standard output.
    static func run(_ action: Action) async throws(CommandFailure) -> Int32 {
        let deadline = try action.deadline()
        let (made, line) = try await made(action, "run")
        if line.isWatched { action.complain("\(made.id): Ctrl-C leaves it running") }
        let job = try await action.end(of: made.id, by: deadline)
        if action.isJSON {
            try action.say(job.json.text)
            return job.hasSucceeded ? 0 : ExitCode.failure.rawValue
        }
        guard job.hasSucceeded else { return action.code(for: job) }
        try await action.service.writeResult(of: job.id) { .standardOutput }
        return 0
    }

    private static func made(
        _ action: Action, _ name: String
    ) async throws(CommandFailure) -> (JobFacts, ProgressLine) {
        let input = try SpecInput(
            action.operand("Say which file: jobserver \(name) job.json, or - for standard input"))
        let job = try await action.service.submit(
            input.bytes, isScript: input.isScript, key: action.given.value("idempotency-key"))
        return (job, action.line)
    }
}
