import Commands
import EventIO
import FoundationEssentials
import Glibc
import JobClient
public import JobSpec

/// The entry point of the server program.
///
/// ```swift
/// await JobServer.run(kinds: [checksum])
/// ```
public enum JobServer {
    /// Parses the command line, runs the command, and ends the process with its exit code.
    /// - Parameter kinds: operation kinds that job specs may use besides the built-in ones. A name that is built in,
    ///   duplicated or malformed ends the process with exit code 3.
    public static func run(kinds: [OperationKind] = []) async -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do throws(CommandFailure) {
            exit(
                try await run(
                    arguments, environment: ProcessInfo.processInfo.environment, kinds: checked(kinds)))
        } catch {
            if error.isOutput {
                DescriptorOutput.standardOutput.write(Array(error.text.utf8))
            } else {
                DescriptorOutput.standardError.write(Array((error.text + "\n").utf8))
            }
            exit(error.code.rawValue)
        }
    }

    /// Indexes the kinds by name.
    /// - Throws: `.configuration` with the names that are invalid.
    static func checked(_ kinds: [OperationKind]) throws(CommandFailure) -> OperationKinds {
        do throws(OperationKindsError) { return try OperationKinds(kinds) } catch {
            throw CommandFailure(code: .configuration, text: error.description)
        }
    }

    /// Runs the command of the line.
    /// - Returns: the exit code.
    private static func run(
        _ arguments: [String], environment: [String: String], kinds: OperationKinds
    ) async throws(CommandFailure) -> Int32 {
        guard let word = arguments.first else {
            throw CommandFailure(code: .usage, text: CommandTable.overview)
        }
        let rest = Array(arguments.dropFirst())
        switch word {
        case "help", "--help", "-h": return say(try help(rest))
        case "--version": return say(try await text(of: "version", rest, environment, kinds) ?? "")
        default: break
        }
        guard let command = CommandTable.command(word) else { throw unknown(word) }
        let flags = rest.prefix { $0 != "--" }
        if let place = flags.firstIndex(where: { $0 == "--help" || $0 == "-h" }) {
            let isWhole = flags.dropFirst(place + 1).first == "all"
            return say(HelpText.text(of: command, isWhole: isWhole))
        }
        if let text = try await text(of: word, rest, environment, kinds) { return say(text) }
        return try await JobClient.run(command, rest, environment: environment)
    }

    /// Runs a command that needs no server, and returns its output; nil for other commands.
    private static func text(
        of name: String, _ rest: [String], _ environment: [String: String], _ kinds: OperationKinds
    ) async throws(CommandFailure) -> String? {
        switch name {
        case "serve":
            try await ServeCommand.run(rest, environment: environment, kinds: kinds)
            return ""
        case "check": return try CheckCommand.run(rest, kinds: kinds)
        case "curl": return try CurlCommandLine.run(rest)
        case "token": return try TokenCommand.run(rest, environment: environment)
        case "backup": return try BackupCommand.run(rest, environment: environment)
        case "doctor": return try DoctorCommand.run(rest, environment: environment)
        case "migrate": return try MigrateCommand.run(rest, environment: environment)
        case "forget-secrets": return try await SecretsCommand.run(rest, environment: environment)
        case "copy": return try await CopyCommand.run(rest, environment: environment)
        case "completion": return try ProgramTexts.completion(rest)
        case "man": return try ProgramTexts.manual(rest)
        case "config": return try ConfigCommand.run(rest, environment: environment)
        case "version": return try VersionCommand.run(rest)
        default: return nil
        }
    }

    /// The help of the program or of a command: `help`, `help serve`, `help serve all`.
    private static func help(_ words: [String]) throws(CommandFailure) -> String {
        guard let word = words.first else { return CommandTable.overview }
        guard let command = CommandTable.command(word) else { throw unknown(word) }
        return HelpText.text(of: command, isWhole: words.dropFirst().first == "all")
    }

    private static func unknown(_ word: String) -> CommandFailure {
        let nearest = CommandTable.nearest(to: word).map { " Did you mean \($0)?" } ?? ""
        return .usage("There is no command \"\(word)\".\(nearest)", command: "")
    }

    private static func say(_ text: String) -> Int32 {
        DescriptorOutput.standardOutput.write(Array(text.utf8))
        return ExitCode.success.rawValue
    }
}
