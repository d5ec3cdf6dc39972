import Commands
import JobClient
import JobSpec
import StrictJSON

/// `jobserver check`: validates a spec as the server would.
enum CheckCommand {
    /// Checks the spec in a file, or on standard input for `-`, and returns the plan for standard output.
    /// - Throws: `.failure` with every problem and its line.
    static func run(
        _ arguments: some Sequence<String>, kinds: OperationKinds = .none
    ) throws(CommandFailure) -> String {
        let given = try Arguments(arguments, flags: [], command: "check")
        guard let path = given.words.first, given.words.count == 1 else {
            throw .usage(
                "Say which file: jobserver check spec.json, or - for standard input", command: "check")
        }
        let input = try SpecInput(path)
        let bytes =
            try input.isScript ? CurlCommandLine.spec(of: input.bytes, name: path) : input.bytes
        switch JobSpecReader.read(bytes, limits: SpecLimits(), now: SystemTime.now(), kinds: kinds) {
        case .success(let spec): return PlanText.render(spec)
        case .failure(let problems):
            throw CommandFailure(code: .failure, text: report(problems, name: path, bytes: bytes))
        }
    }

    static func report(_ problems: SpecProblems, name: String, bytes: [UInt8]) -> String {
        let lines = SpecLines(bytes)
        var text = ""
        for problem in problems.list {
            let pointer = problem.pointer.description
            let line = lines.line(of: pointer)
            text += "\(name):\(line): \(problem.detail)"
            if !pointer.isEmpty { text += " (at \(pointer))" }
            text += " [\(problem.code)]"
            if let suggestion = problem.suggestion { text += "\n    write: \(suggestion)" }
            text += "\n"
        }
        let rest = problems.isCut ? "; the rest was not read" : ""
        return text + Counted.text(problems.list.count, "problem") + rest
    }
}
