internal import Commands
internal import StrictJSON

/// `MEMBER=VALUE …` of a command line.
struct Assignments {
    private let members: [(name: String, text: String)]

    /// - Throws: `.usage` for a word without a name or an equals sign.
    init(_ words: some Sequence<String>, _ action: Action) throws(CommandFailure) {
        var members: [(name: String, text: String)] = []
        for word in words {
            guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")), equals > word.startIndex else {
                throw action.usage("\(word): expected MEMBER=VALUE")
            }
            members.append((String(word[..<equals]), String(word[word.utf8.index(after: equals)...])))
        }
        self.members = members
    }

    /// The value that a text is: JSON, or else the text.
    static func value(_ text: String) -> JSONValue { (try? JSONParser.parse(text: text)) ?? .string(text) }

    /// The members with their values as texts.
    var texts: JSONObject {
        JSONObject(members.map { ($0.name, .string($0.text)) })
    }

    /// An object with these members set, and those without a value removed.
    func applied(to object: JSONObject) -> JSONObject {
        var object = object
        for member in members { object[member.name] = member.text.isEmpty ? nil : Self.value(member.text) }
        return object
    }
}
