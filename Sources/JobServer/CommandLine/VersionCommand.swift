import Commands
import StrictJSON

/// `jobserver version`
enum VersionCommand {
    static let flags = [JSONOutput.flag]

    static func run(_ arguments: some Sequence<String>) throws(CommandFailure) -> String {
        let given = try Arguments(arguments, flags: flags, command: "version")
        if let word = given.words.first {
            throw .usage("\"\(word)\" is not expected here", command: "version")
        }
        guard JSONOutput.isWanted(given) else { return BuildFacts.text }
        return JSONOutput.text([
            ("version", .string(Version.text)), ("commit", JSONOutput.text(BuildFacts.commit)),
            ("built_at", JSONOutput.text(BuildFacts.date)),
        ])
    }
}
