internal import StrictJSON

extension Binding {
    /// Words that other JSON hardly has. `$get` is not among them: `$set` is a word of many query languages.
    private static let rareWords = ["$secret", "$param", "$artifact", "$item", "$text"]

    /// A member that is passed on unchanged and looks like a misspelt binding: `$secrets`.
    var misspeltWord: (written: String, meant: String)? {
        switch self {
        case .literal(let value): Self.misspeltWord(in: value)
        case .array(let parts): parts.lazy.compactMap(\.misspeltWord).first
        case .object(let entries):
            entries.lazy.compactMap { Self.misspelt($0.name) ?? $0.value.misspeltWord }.first
        case .get, .text: nil
        }
    }

    private static func misspeltWord(in value: JSONValue) -> (written: String, meant: String)? {
        switch value {
        case .object(let object):
            object.members.lazy.compactMap { misspelt($0.name) ?? misspeltWord(in: $0.value) }.first
        case .array(let elements): elements.lazy.compactMap(misspeltWord).first
        default: nil
        }
    }

    private static func misspelt(_ name: String) -> (written: String, meant: String)? {
        guard name.utf8.first == UInt8(ascii: "$"), !rareWords.contains(name) else { return nil }
        return SpellingSuggestion.nearest(to: name, in: rareWords).map { (name, $0) }
    }
}

extension OperationSpec {
    /// See `Binding.misspeltWord`, for the stated value of the operation.
    var misspeltWord: (written: String, meant: String)? { kind.work.statedValue?.misspeltWord }
}
