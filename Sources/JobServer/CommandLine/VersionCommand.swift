import Commands

/// `jobserver version`
enum VersionCommand {
    static func run(_ arguments: some Sequence<String>) throws(CommandFailure) -> String {
        let given = try Arguments(arguments, flags: [], command: "version")
        if let word = given.words.first {
            throw .usage("\"\(word)\" is not expected here", command: "version")
        }
        return BuildFacts.text
    }
}
