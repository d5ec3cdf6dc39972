internal import Commands

/// A command with its verbs.
struct ResourceCommand: Sendable {
    let command: Command
    let verbs: [ResourceVerb]

    /// - Parameters:
    ///   - flags: flags besides those of the verbs.
    init(
        _ name: String, in section: Command.Section, _ summary: String, text: String = "", flags: [Flag] = [],
        examples: [String] = [], _ verbs: [ResourceVerb]
    ) {
        self.verbs = verbs
        let own = verbs.flatMap { $0.inputs.map(\.flag) } + flags
        var unique: [Flag] = []
        for flag in own where !unique.contains(where: { $0.name == flag.name }) { unique.append(flag) }
        let hasList = verbs.contains { if case .list(_, isPaged: true) = $0.output { true } else { false } }
        let words = verbs.map(\.name).filter { !$0.isEmpty }
        let sentences = verbs.map { verb in
            verb.name.isEmpty ? "\(Self.sentence(verb.summary))." : "\(verb.name): \(verb.summary)."
        }
        command = Command(
            name, words.isEmpty ? verbs[0].operands : "VERB …", in: section, summary,
            usage: verbs.map { verb in
                [name, verb.name, verb.operands, "[FLAGS]"].filter { !$0.isEmpty }.joined(separator: " ")
            },
            text: sentences.joined(separator: "\n") + (text.isEmpty ? "" : "\n\n" + text),
            flags: ServerAddress.flags + unique + (hasList ? [Self.limitFlag] : []) + [Action.jsonFlag],
            examples: examples, completes: words.isEmpty ? .files : .verbs(words))
    }

    static let limitFlag = Flag(
        name: "limit", value: "N", help: "at most this many, 1 to 100000; default 100", hasVariable: false)

    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
