import Commands
import EventIO
import FoundationEssentials

/// `jobserver config check`: checks the configuration as the server would at its start.
enum ConfigCommand {
    /// Checks flags, variables and file, and the files that they name, and returns the effective settings.
    /// - Throws: `.configuration` with the first problem of the settings, or with all of their files.
    static func run(
        _ arguments: [String], environment: [String: String]
    ) throws(CommandFailure) -> String {
        guard arguments.first == "check" else {
            throw .usage("Say what to do: jobserver config check FILE", command: "config")
        }
        var given = try Arguments(
            arguments.dropFirst(), flags: ServeFlags.all, environment: environment, command: "config")
        guard given.words.count <= 1 else {
            throw .usage("\"\(given.words[1])\" is not expected here", command: "config")
        }
        if let path = given.words.first ?? given.value(ConfigFile.flag.name) {
            given.fill(from: try Settings.file(path), flags: ServeFlags.all)
        }
        let config: ServerConfig
        do throws(CommandFailure) {
            config = try ServeFlags.config(given, environment: environment)
        } catch {
            let text = error.text.split(separator: "\n").first.map(String.init) ?? ""
            throw CommandFailure(code: .configuration, text: text)
        }
        let problems = problems(of: config)
        guard problems.isEmpty else {
            throw CommandFailure(code: .configuration, text: problems.joined(separator: "\n"))
        }
        return "valid\n" + settings(given) + unknown(environment)
    }

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
    private static func settings(_ given: Arguments) -> String {
        ServeFlags.all.filter { given.has($0.name) && $0.name != ConfigFile.flag.name }.map { flag in
            given.all(flag.name).map { value in
                let shown = flag.name == "store" && SharedStoreAddress.hasPassword(value) ? "…" : value
                return "\(flag.name) = \(shown)    # \(given.source(of: flag.name))\n"
            }.joined()
        }.joined()
    }

    private static func unknown(_ environment: [String: String]) -> String {
        CommandTable.misspelt(in: environment).map {
            "# \($0.name) sets nothing. Did you mean \($0.meant)?\n"
        }.joined()
    }
}
