import EventIO
import FoundationEssentials
import Glibc

/// The program: takes the command line apart, runs a command, and ends with its exit code.
@main
struct JobServer {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do throws(CommandFailure) {
            try await run(arguments, environment: ProcessInfo.processInfo.environment)
        } catch {
            DescriptorOutput.standardError.write(Array((error.text + "\n").utf8))
            exit(error.code.rawValue)
        }
        exit(ExitCode.success.rawValue)
    }

    private static func run(_ arguments: [String], environment: [String: String]) async throws(CommandFailure)
    {
        let rest = arguments.dropFirst()
        let wantsHelp = rest.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
        switch arguments.first {
        case "serve":
            if wantsHelp { return say(Usage.serve) }
            try await ServeCommand.run(rest, environment: environment)
        case "check":
            if wantsHelp { return say(Usage.check) }
            say(try CheckCommand.run(rest))
        case "token":
            if wantsHelp { return say(Usage.token) }
            say(try TokenCommand.run(rest, environment: environment))
        case "version", "--version":
            say("jobserver \(Version.text)\n")
        case "help", "--help", "-h":
            say(Usage.overview)
        case nil:
            throw CommandFailure(code: .usage, text: Usage.overview)
        case let word?:
            throw unknown(word)
        }
    }

    private static func unknown(_ word: String) -> CommandFailure {
        let nearest = CommandNames.nearest(to: word).map { " Did you mean \($0)?" } ?? ""
        return .usage("There is no command \"\(word)\".\(nearest)", command: "")
    }

    private static func say(_ text: String) {
        DescriptorOutput.standardOutput.write(Array(text.utf8))
    }
}
