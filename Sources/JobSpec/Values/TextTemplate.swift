internal import StrictJSON

/// The text of a `$text` binding: `{name}` is a value, `{{` and `}}` are the braces themselves.
struct TextTemplate {
    /// A segment of the text.
    enum Part: Hashable {
        case text(String)
        case name(String)
    }

    /// The pieces, in order.
    let parts: [Part]

    /// Nil when a brace has no partner or a name is empty.
    init?(_ template: String) {
        var parts: [Part] = []
        var text: [UInt8] = []
        let bytes = Array(template.utf8)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") else {
                text.append(byte)
                index += 1
                continue
            }
            if index + 1 < bytes.count, bytes[index + 1] == byte {
                text.append(byte)
                index += 2
                continue
            }
            guard byte == UInt8(ascii: "{"), let end = bytes[index...].firstIndex(of: UInt8(ascii: "}")),
                end > index + 1
            else { return nil }
            if !text.isEmpty { parts.append(.text(String(decoding: text, as: UTF8.self))) }
            text = []
            parts.append(.name(String(decoding: bytes[(index + 1)..<end], as: UTF8.self)))
            index = end + 1
        }
        if !text.isEmpty { parts.append(.text(String(decoding: text, as: UTF8.self))) }
        self.parts = parts
    }

    /// The names that are used, each once.
    var names: [String] {
        var names: [String] = []
        var known = NameIndex()
        for case .name(let name) in parts where known.position(of: name, in: names, by: { $0 }) == nil {
            names.append(name)
        }
        return names
    }
}
