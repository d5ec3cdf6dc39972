import Commands
import JobClient
import JobSpec
import StrictJSON

/// `jobserver check`: validates a spec as the server would.
enum CheckCommand {
    static let flags = [SpecInput.formFlag, JSONOutput.flag]

    /// Checks the spec in a file, or on standard input for `-`, and returns the plan for standard output.
    /// - Throws: `.failure` with every problem and its line.
    static func run(
        _ arguments: some Sequence<String>, kinds: OperationKinds = .none
    ) throws(CommandFailure) -> String {
        let given = try Arguments(arguments, flags: flags, command: "check")
        guard let path = given.words.first else {
            throw .usage(
                "Say which file: jobserver check spec.json, or - for standard input", command: "check")
        }
        guard given.words.count == 1 else {
            throw .usage("One file, not \(given.words.count)", command: "check")
        }
        let input = try SpecInput(path, form: SpecInput.form(given, command: "check"))
        let bytes =
            try input.isScript ? CurlCommandLine.spec(of: input.bytes, name: path) : input.bytes
        let isJSON = JSONOutput.isWanted(given)
        switch JobSpecReader.read(bytes, limits: SpecLimits(), now: SystemTime.now(), kinds: kinds) {
        case .success(let spec):
            return isJSON ? String(decoding: PlanBody.bytes(spec), as: UTF8.self) : PlanText.render(spec)
        case .failure(let problems):
            let line: (String) -> Int = { input.isScript ? 1 : input.line(of: $0) }
            guard isJSON else {
                throw CommandFailure(code: .failure, text: report(problems, name: path, line: line))
            }
            throw JSONOutput.failure(.failure, members(of: problems, line: line))
        }
    }

    private static func members(
        of problems: SpecProblems, line: (String) -> Int
    ) -> [(String, JSONValue?)] {
        let items = problems.list.map { problem -> JSONValue in
            let pointer = problem.pointer.description
            var members: [(String, JSONValue)] = [
                ("line", .number(JSONNumber(Int64(line(pointer))))), ("pointer", .string(pointer)),
                ("code", .string(problem.code)), ("detail", .string(problem.detail)),
            ]
            if let suggestion = problem.suggestion { members.append(("suggestion", .string(suggestion))) }
            return .object(JSONObject(members))
        }
        return [("valid", .bool(false)), ("problems", .array(items))]
    }

    static func report(_ problems: SpecProblems, name: String, line: (String) -> Int = { _ in 1 }) -> String {
        var text = ""
        for problem in problems.list {
            let pointer = problem.pointer.description
            text += "\(name):\(line(pointer)): \(problem.detail)"
            if !pointer.isEmpty { text += " (at \(pointer))" }
            text += " [\(problem.code)]"
            if let suggestion = problem.suggestion { text += "\n    write: \(suggestion)" }
            text += "\n"
        }
        let rest = problems.isCut ? "; the rest was not read" : ""
        return text + Counted.text(problems.list.count, "problem") + rest
    }
}
