internal import Commands
internal import EventIO
internal import StrictJSON

/// `jobserver submit`, and `jobserver run` of a spec.
enum SubmitAction {
    static let keyFlag = Flag(
        name: "idempotency-key", value: "KEY",
        help: "with the same key, the same job is found for 24 hours", hasVariable: false)

    private static let templateFlag = Flag(
        name: "template", value: "NAME",
        help: "each row has the values of this template, or of its version: NAME@3", hasVariable: false)
    private static let formatFlag = Flag(
        name: "format", value: "json|yaml|ndjson|csv",
        help: "the format; default by the file name", hasVariable: false)
    private static let waitFlag = Flag(
        name: "wait", help: "wait until all jobs have ended, and exit as they did", hasVariable: false)

    private static let fileFlag = Flag(
        name: "file", value: "NAME=PATH",
        help: "upload this file, which the spec names as \"artifact\": {\"id\": \"NAME\"}; repeatable",
        isRepeatable: true, hasVariable: false)

    static let submit = Command(
        "submit", "FILE|-", in: .jobs, "submit a job, or the rows of a file as jobs, and print the ids",
        usage: ["submit FILE|- [FLAGS]"],
        text: """
            Submits the job spec in a file, or from standard input with -, and prints the id of the new job. The spec may
            be JSON, YAML (.yaml, .yml) or curl command lines (.sh).

            A JSON array, a YAML list, or a file of lines (.ndjson, .jsonl) makes one job of each element. With
            --template each element has the values of the template's parameters; so has each row of a .csv file, whose
            first line names them. Files of any size are read in constant memory. A refused row is reported with its
            line, the others become jobs, and the exit code is 12. Repeated within 24 hours, as after a crash, the same
            command finds the jobs it has made and continues; another --idempotency-key makes new ones.

            With --file, files that the spec sends are uploaded first.
            """,
        flags: ServerAddress.flags + [
            templateFlag, formatFlag, fileFlag, waitFlag, Action.timeoutFlag, keyFlag, Action.quietFlag,
            Action.jsonFlag,
        ],
        examples: [
            "id=$(jobserver submit job.json)",
            #"echo '{"type": "delay", "for": "1s"}' | jobserver submit -"#,
            "jobserver submit rows.csv --template resize --wait",
            "jobserver submit import.json --file month=march.csv",
        ], completes: .files)

    static func submit(_ action: Action) async throws(CommandFailure) -> Int32 {
        let path = try action.operand("Say which file: jobserver submit job.json, or - for standard input")
        let format = try format(action)
        let waits = action.given.has("wait")
        guard waits || !action.given.has("timeout") else {
            throw action.usage("--timeout is for the wait: add --wait")
        }
        switch try await RowInput.open(
            path, format, template: action.given.value("template"), action.service)
        {
        case .many(let rows, let name):
            guard !action.given.has("file") else {
                throw action.usage("--file is for one spec, not for rows")
            }
            var submission = RowSubmission(action, rows, name: name, waits: waits)
            return try await submission.run()
        case .one(let input):
            let deadline = try action.deadline()
            let files = try SpecFiles(
                action.given.all("file"), in: input.bytes, isScript: input.isScript, action)
            let job = try await action.service.submit(
                input, try await files.uploaded(by: action.service),
                key: action.given.value("idempotency-key"))
            action.service.remember(job)
            try action.say(action.isJSON ? job.json.text : job.id)
            return waits ? action.code(for: try await action.end(of: job.id, by: deadline)) : 0
        }
    }

    private static func format(_ action: Action) throws(CommandFailure) -> RowInput.Format? {
        guard let word = action.given.value("format") else { return nil }
        guard let format = RowInput.Format(rawValue: word) else {
            let known = RowInput.Format.allCases.map(\.rawValue).joined(separator: ", ")
            throw action.usage("--format \(word): expected one of \(known)")
        }
        return format
    }

    /// Submits, waits, and writes the result to standard output.
    static func run(_ action: Action) async throws(CommandFailure) -> Int32 {
        let deadline = try action.deadline()
        let input = try SpecInput(
            action.operand("Say which file: jobserver run job.json, or - for standard input"),
            form: SpecInput.form(action.given, command: action.command.name))
        let made = try await action.service.submit(
            input, input.bytes, key: action.given.value("idempotency-key"))
        action.service.remember(made)
        let line = action.line
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
}
