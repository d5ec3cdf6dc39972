import Commands
import EventIO
import FoundationEssentials
import JobSpec
import StrictJSON

/// `jobserver check`: validates a spec as the server would.
enum CheckCommand {
    /// The maximum size of a spec file.
    static let bytesMax = RouteTable.specBytesMax

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
        let bytes =
            try path.hasSuffix(".sh") ? CurlCommandLine.spec(of: content(path), name: path) : content(path)
        switch JobSpecReader.read(bytes, limits: SpecLimits(), now: SystemTime.now(), kinds: kinds) {
        case .success(let spec): return PlanText.render(spec)
        case .failure(let problems):
            throw CommandFailure(code: .failure, text: report(problems, name: path, bytes: bytes))
        }
    }

    static func content(_ path: String) throws(CommandFailure) -> [UInt8] {
        let found =
            path == "-"
            ? DescriptorInput.standardInput.readAll(bytesMax: bytesMax)
            : FileManager.default.contents(atPath: path).map { Array($0) }
        guard let found else {
            let why = FileManager.default.fileExists(atPath: path) ? "cannot be read" : "is not there"
            throw CommandFailure(code: .failure, text: "\(path) \(why).")
        }
        guard found.count <= bytesMax else {
            throw CommandFailure(
                code: .failure, text: "\(path) is larger than 1 MiB, the most that is accepted.")
        }
        return found
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
        return text + Counted.text(problems.list.count, "problem")
    }
}
