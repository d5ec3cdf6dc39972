import EventIO
import FoundationEssentials
import Glibc
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
            try await run(
                arguments, environment: ProcessInfo.processInfo.environment, kinds: checked(kinds))
        } catch {
            DescriptorOutput.standardError.write(Array((error.text + "\n").utf8))
            exit(error.code.rawValue)
        }
        exit(ExitCode.success.rawValue)
    }

    /// Indexes the kinds by name.
    /// - Throws: `.configuration` with the names that are invalid.
    static func checked(_ kinds: [OperationKind]) throws(CommandFailure) -> OperationKinds {
        do throws(OperationKindsError) { return try OperationKinds(kinds) } catch {
            throw CommandFailure(code: .configuration, text: error.description)
        }
    }

    private static func run(
        _ arguments: [String], environment: [String: String], kinds: OperationKinds
    ) async throws(CommandFailure) {
        let rest = arguments.dropFirst()
        let wantsHelp = rest.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
        switch arguments.first {
        case "serve":
            if wantsHelp { return say(Usage.serve) }
            try await ServeCommand.run(rest, environment: environment, kinds: kinds)
        case "check":
            if wantsHelp { return say(Usage.check) }
            say(try CheckCommand.run(rest, kinds: kinds))
        case "curl":
            if wantsHelp { return say(Usage.curl) }
            say(try CurlCommandLine.run(Array(rest)))
        case "token":
            if wantsHelp { return say(Usage.token) }
            say(try TokenCommand.run(rest, environment: environment))
        case "backup":
            if wantsHelp { return say(Usage.backup) }
            say(try BackupCommand.run(rest, environment: environment))
        case "doctor":
            if wantsHelp { return say(Usage.doctor) }
            say(try DoctorCommand.run(rest, environment: environment))
        case "migrate":
            if wantsHelp { return say(Usage.migrate) }
            say(try MigrateCommand.run(rest, environment: environment))
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
