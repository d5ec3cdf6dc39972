internal import StrictJSON

extension Binding {
    /// Words that other JSON hardly has. `$get` is not among them: `$set` is a word of many query languages.
    private static let rareWords = ["$secret", "$param", "$artifact", "$item", "$text"]

    /// A member that is passed on unchanged and looks like a misspelt binding: `$secrets`.
    /// - Parameter steps: see `SpellingSuggestion.nearest`.
    func misspeltWord(_ steps: inout Int) -> (written: String, meant: String)? {
        switch self {
        case .literal(let value): return Self.misspeltWord(in: value, &steps)
        case .array(let parts):
            for part in parts { if let word = part.misspeltWord(&steps) { return word } }
        case .object(let entries):
            for entry in entries {
                if let word = Self.misspelt(entry.name, &steps) ?? entry.value.misspeltWord(&steps) {
                    return word
                }
            }
        case .get, .text: break
        }
        return nil
    }

    private static func misspeltWord(
        in value: JSONValue, _ steps: inout Int
    ) -> (written: String, meant: String)? {
        switch value {
        case .object(let object):
            for member in object.members {
                if let word = misspelt(member.name, &steps) ?? misspeltWord(in: member.value, &steps) {
                    return word
                }
            }
        case .array(let elements):
            for element in elements { if let word = misspeltWord(in: element, &steps) { return word } }
        default: break
        }
        return nil
    }

    private static func misspelt(_ name: String, _ steps: inout Int) -> (written: String, meant: String)? {
        guard name.utf8.first == UInt8(ascii: "$"), !rareWords.contains(where: name.hasSameBytes) else {
            return nil
        }
        return SpellingSuggestion.nearest(to: name, in: rareWords, steps: &steps).map { (name, $0) }
    }
}

extension OperationSpec {
    /// See `Binding.misspeltWord`, for the stated value of the operation.
    func misspeltWord(_ steps: inout Int) -> (written: String, meant: String)? {
        kind.work.statedValue?.misspeltWord(&steps)
    }
}
