internal import JobKit
internal import StrictJSON

/// A part of a spec that is sent as it is, and looks like something that is filled in.
enum NearMiss: Hashable {
    /// A member such as `$secrets`.
    case member(written: String, meant: String)
    /// A name in braces, as other systems write what they fill in, in a text of a request: `{{name}}`, `${name}`.
    case unfilled(written: String, name: String)
    /// The same in a `$text` whose `vars` have the name: there it stands for the braces themselves.
    case escaped(name: String)

    /// The warning about it.
    var warning: (code: String, detail: String) {
        switch self {
        case .member(let written, let meant):
            (
                "warning.misspelt_reference",
                "\"\(String(quotable: written))\" is passed on unchanged. Did you mean \"\(meant)\"?"
            )
        case .unfilled(let written, let name):
            (
                "warning.unfilled",
                "\"\(written)\" is sent as it is. To fill in a value write {\"$text\": \"… {\(name)} …\", \"vars\": "
                    + "{\"\(name)\": …}}, or for the value alone a binding such as {\"$get\": \"…\"}."
            )
        case .escaped(let name):
            (
                "warning.unfilled",
                "\"{{\(name)}}\" in a $text gives the text \"{\(name)}\". Write {\(name)} for the value in vars."
            )
        }
    }
}

extension Binding {
    /// Words that other JSON hardly has.
    private static let rareWords = [
        "$secret", "$param", "$artifact", "$item", "$text", "$previous", "$lines",
    ]
    /// Words that are short: what is near them is only meant when its value is a text.
    private static let shortWords = ["$get", "$job"]
    /// Words of query languages that are near one of `shortWords`.
    private static let otherWords = ["$set", "$gt", "$gte", "$ge", "$let", "$geo"]

    /// The first near miss in it.
    /// - Parameters:
    ///   - isSent: whether it is a part of a request, in which names in braces are looked for, too.
    ///   - steps: see `SpellingSuggestion.nearest`.
    func nearMiss(isSent: Bool, _ steps: inout Int) -> NearMiss? {
        switch self {
        case .literal(let value): return Self.nearMiss(in: value, isSent: isSent, &steps)
        case .array(let parts):
            for part in parts { if let found = part.nearMiss(isSent: isSent, &steps) { return found } }
        case .object(let entries):
            for entry in entries {
                let isText = if case .literal(.string) = entry.value { true } else { false }
                if let found = Self.misspelt(entry.name, isText: isText, &steps)
                    ?? entry.value.nearMiss(isSent: isSent, &steps)
                {
                    return found
                }
            }
        case .text(let template, let vars):
            guard let name = BracedName.first(in: template, isTemplate: true)?.name else { return nil }
            if vars.contains(where: { $0.name.hasSameBytes(as: name) }) { return .escaped(name: name) }
        case .get: break
        }
        return nil
    }

    private static func nearMiss(in value: JSONValue, isSent: Bool, _ steps: inout Int) -> NearMiss? {
        switch value {
        case .object(let object):
            for member in object.members {
                let isText = if case .string = member.value { true } else { false }
                if let found = misspelt(member.name, isText: isText, &steps)
                    ?? nearMiss(in: member.value, isSent: isSent, &steps)
                {
                    return found
                }
            }
        case .array(let elements):
            for element in elements {
                if let found = nearMiss(in: element, isSent: isSent, &steps) { return found }
            }
        case .string(let text) where isSent:
            return BracedName.first(in: text).map { .unfilled(written: $0.written, name: $0.name) }
        default: break
        }
        return nil
    }

    private static func misspelt(_ name: String, isText: Bool, _ steps: inout Int) -> NearMiss? {
        guard name.utf8.first == UInt8(ascii: "$"),
            !rareWords.contains(where: name.hasSameBytes), !shortWords.contains(where: name.hasSameBytes)
        else { return nil }
        if let meant = SpellingSuggestion.nearest(to: name, in: rareWords, steps: &steps) {
            return .member(written: name, meant: meant)
        }
        guard isText, !otherWords.contains(where: name.hasSameBytes) else { return nil }
        return SpellingSuggestion.nearest(to: name, in: shortWords, steps: &steps)
            .map { .member(written: name, meant: $0) }
    }
}

/// A name in braces, as other systems write what they fill in.
private enum BracedName {
    /// The maximum length of a name.
    private static let nameMax = 64

    /// The first `{{name}}` or `${name}` in a text; in a template the first `{{name}}`.
    static func first(in text: String, isTemplate: Bool = false) -> (written: String, name: String)? {
        guard text.utf8.contains(UInt8(ascii: "{")) else { return nil }
        let bytes = Array(text.utf8)
        for index in bytes.indices.dropFirst() where bytes[index] == UInt8(ascii: "{") {
            let opening = bytes[index - 1]
            let closing: [UInt8]
            switch opening {
            case UInt8(ascii: "{"): closing = Array("}}".utf8)
            case UInt8(ascii: "$") where !isTemplate: closing = Array("}".utf8)
            default: continue
            }
            let inside = bytes[(index + 1)...].prefix(nameMax + 2).prefix { $0 != UInt8(ascii: "}") }
            guard bytes[inside.endIndex...].starts(with: closing), let name = name(in: inside) else {
                continue
            }
            let end = inside.endIndex + closing.count
            return (String(decoding: bytes[(index - 1)..<end], as: UTF8.self), name)
        }
        return nil
    }

    /// The name between braces, with blanks around it; nil when it is something else.
    private static func name(in inside: ArraySlice<UInt8>) -> String? {
        var inside = inside.drop { $0 == 0x20 }
        while inside.last == 0x20 { inside.removeLast() }
        guard !inside.isEmpty, inside.count <= nameMax, inside.allSatisfy(isNameByte) else { return nil }
        return String(decoding: inside, as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x5F || byte == 0x2E
            || byte == 0x2D
    }
}

extension OperationSpec {
    /// The first near miss in its request, or in the value that it states.
    func nearMiss(_ steps: inout Int) -> NearMiss? {
        if let call { return call.nearMiss(&steps) }
        return kind.work.statedValue?.nearMiss(isSent: false, &steps)
    }
}

extension NetworkSpec {
    /// The first near miss in what is sent.
    func nearMiss(_ steps: inout Int) -> NearMiss? {
        var found: NearMiss?
        visitSent { if found == nil { found = $0.nearMiss(isSent: true, &steps) } }
        return found
    }
}
