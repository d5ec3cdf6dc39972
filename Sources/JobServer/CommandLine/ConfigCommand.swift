import Commands
import EventIO
import FoundationEssentials
import StrictJSON

/// `jobserver config check`: checks the configuration as the server would at its start. `jobserver config example`: a
/// file with all settings.
enum ConfigCommand {
    /// Checks flags, variables and file, and the files that they name, and returns the effective settings.
    /// - Throws: `.configuration` with all problems of the lines of the file, the settings, and the files that they
    ///   name.
    static func run(
        _ arguments: [String], environment: [String: String]
    ) throws(CommandFailure) -> String {
        guard arguments.first == "check" else {
            guard arguments == ["example"] else {
                throw .usage(
                    "Say what to do: jobserver config check FILE, or jobserver config example",
                    command: "config")
            }
            return ServeFlags.example
        }
        var given = try Arguments(
            arguments.dropFirst(), flags: ServeFlags.all + [JSONOutput.flag], environment: environment,
            command: "config")
        guard given.words.count <= 1 else {
            throw .usage("One file, not \(given.words.count)", command: "config")
        }
        var problems: [String] = []
        if let path = given.words.first ?? given.value(ConfigFile.flag.name) {
            let file = try Settings.checkedFile(path)
            problems += file.problems
            given.fill(from: file, flags: ServeFlags.all)
        }
        let config = config(given, environment: environment, &problems)
        if let config { problems += self.problems(of: config) }
        if JSONOutput.isWanted(given) { return try json(given, problems, environment) }
        guard problems.isEmpty else {
            throw CommandFailure(code: .configuration, text: problems.joined(separator: "\n"))
        }
        let lines = settings(given).map { "\($0.name) = \($0.value)    # \($0.source)\n" }
        return "valid\n" + lines.joined() + unknown(environment).map { "# \($0)\n" }.joined()
    }

    private static func json(
        _ given: Arguments, _ problems: [String], _ environment: [String: String]
    ) throws(CommandFailure) -> String {
        let settings = settings(given).map { setting -> JSONValue in
            [
                "name": .string(setting.name), "value": .string(setting.value),
                "source": .string(setting.source),
            ]
        }
        let members: [(String, JSONValue?)] = [
            ("valid", .bool(problems.isEmpty)), ("problems", .array(problems.map { .string($0) })),
            ("settings", .array(settings)), ("warnings", .array(unknown(environment).map { .string($0) })),
        ]
        guard problems.isEmpty else { throw JSONOutput.failure(.configuration, members) }
        return JSONOutput.text(members)
    }

    /// The configuration without the settings that are wrong, each of which is noted; nil when it cannot be told which
    /// one is. A setting is wrong when without it the error is another one, or none.
    private static func config(
        _ given: Arguments, environment: [String: String], _ problems: inout [String]
    ) -> ServerConfig? {
        func failure(_ given: Arguments) -> String? {
            do throws(CommandFailure) { _ = try ServeFlags.config(given, environment: environment) } catch {
                return error.text.split(separator: "\n").first.map(String.init) ?? ""
            }
            return nil
        }
        var (rest, removed) = (given, [String]())
        while let text = failure(rest) {
            // A setting may miss one that is wrong itself.
            let isConsequence = removed.contains { text.contains("--\($0)") && !text.hasPrefix("--\($0) ") }
            if !isConsequence { problems.append(text) }
            // The setting that the text names comes first: without another one the error may be a later one.
            let named = ServeFlags.all.filter { flag in
                text.contains(" \(flag.name) = ") || text.contains("--\(flag.name)")
            }
            let candidates = (named + ServeFlags.all).lazy.flatMap { flag -> [(String, Arguments)] in
                let places = rest.all(flag.name).indices.prefix(valuesMax)
                return (places.map(Optional.some) + (places.isEmpty ? [] : [nil])).map {
                    (flag.name, rest.without(flag.name, at: $0))
                }
            }
            guard removed.count < problemsMax, let found = candidates.first(where: { failure($0.1) != text })
            else { return nil }
            removed.append(found.0)
            rest = found.1
        }
        return try? ServeFlags.config(rest, environment: environment)
    }

    /// The maximum number of settings that are said to be wrong.
    private static let problemsMax = 100
    /// The number of values of one setting that are tried one by one.
    private static let valuesMax = 100

    /// The files that the server could not use.
    private static func problems(of config: ServerConfig) -> [String] {
        var problems: [String] = []
        if let path = config.tokenFile {
            do throws(TokenFileError) { _ = try TokenFile(path: path).read() } catch {
                problems.append(error.description)
            }
        } else if !config.isLoopback {
            problems.append(
                "host = \(config.host) can be reached by other machines and needs a token-file: "
                    + "jobserver token create")
        }
        if let certificate = config.tlsCertificate, let key = config.tlsKey {
            do throws(EventIOError) {
                _ = try TLSServerContext(certificateFile: certificate, keyFile: key)
            } catch { problems.append(error.description) }
        }
        if let path = config.secretKeyFile, !FileManager.default.isReadableFile(atPath: path) {
            problems.append("The key file \(path) cannot be read.")
        }
        return problems
    }

    /// The settings that are not defaults, with their sources.
    private static func settings(_ given: Arguments) -> [(name: String, value: String, source: String)] {
        ServeFlags.all.filter { given.has($0.name) && $0.name != ConfigFile.flag.name }.flatMap { flag in
            given.all(flag.name).map { value in
                let shown = flag.name == "store" && SharedStoreAddress.hasPassword(value) ? "…" : value
                return (flag.name, shown, given.source(of: flag.name))
            }
        }
    }

    /// Sentences about variables that resemble those of settings.
    private static func unknown(_ environment: [String: String]) -> [String] {
        CommandTable.misspelt(in: environment).map { "\($0.name) sets nothing. Did you mean \($0.meant)?" }
    }
}
