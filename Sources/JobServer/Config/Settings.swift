import Commands
import FoundationEssentials

/// The settings of a command: its flags, their environment variables, and the configuration file.
enum Settings {
    /// Parses a command line whose flags may have values in the file that `--config` or `JOBSERVER_CONFIG` names.
    /// - Throws: `.usage` for the line and for a file that cannot be read, `.configuration` for its content.
    static func arguments(
        _ words: some Sequence<String>, flags: [Flag], environment: [String: String], command: String
    ) throws(CommandFailure) -> Arguments {
        var given = try Arguments(words, flags: flags, environment: environment, command: command)
        guard let path = given.value(ConfigFile.flag.name) else { return given }
        given.fill(from: try file(path), flags: flags)
        return given
    }

    /// Reads a configuration file.
    static func file(_ path: String) throws(CommandFailure) -> ConfigFile {
        try ConfigFile(try text(path), path: path, flags: ServeFlags.all)
    }

    /// Reads what can be read of a configuration file.
    /// - Throws: when the file as a whole cannot be read.
    static func checkedFile(_ path: String) throws(CommandFailure) -> ConfigFile {
        ConfigFile(checking: try text(path), path: path, flags: ServeFlags.all)
    }

    private static func text(_ path: String) throws(CommandFailure) -> String {
        guard let content = FileManager.default.contents(atPath: path) else {
            let why = FileManager.default.fileExists(atPath: path) ? "cannot be read" : "is not there"
            throw CommandFailure(code: .usage, text: "The configuration file \(path) \(why).")
        }
        guard content.count <= ConfigFile.bytesMax else {
            throw CommandFailure(
                code: .configuration, text: "The configuration file \(path) is larger than 1 MiB.")
        }
        return String(decoding: content, as: UTF8.self)
    }
}
