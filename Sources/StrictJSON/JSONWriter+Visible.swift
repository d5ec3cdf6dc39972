/// Strings for people, or for programs that read line by line: logs, terminals.
extension JSONWriter {
    /// Writes a string with only visible characters; it reads back as the same text.
    ///
    /// Escapes all control characters (C0, DEL, C1), line and paragraph separators, spaces other than U+0020, and
    /// format characters such as those that change the direction of writing. So no untrusted text can end a line of a
    /// log, hide in it, or control a terminal.
    public mutating func value(visible text: String) {
        let utf8 = text.utf8.span
        var index = 0
        while index < utf8.count, utf8[index] < 0x7F { index += 1 }
        if index == utf8.count { return value(text) }
        var json: [UInt8] = [UInt8(ascii: "\"")]
        for scalar in text.unicodeScalars { json.appendVisible(scalar) }
        json.append(UInt8(ascii: "\""))
        raw(json)
    }

    /// Writes a member with a string of visible characters.
    public mutating func member(_ name: String, visible text: String) {
        self.name(name)
        value(visible: text)
    }
}

extension [UInt8] {
    fileprivate mutating func appendVisible(_ scalar: Unicode.Scalar) {
        if scalar.isASCII && scalar.value != 0x7F {
            appendJSONCharacter(UInt8(truncatingIfNeeded: scalar.value))
        } else if scalar.isVisible {
            append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        } else {
            for unit in String(scalar).utf16 { appendUnicodeEscape(unit) }
        }
    }
}

extension Unicode.Scalar {
    /// Whether it has a shape of its own, and no effect on what stands around it.
    package var isVisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .privateUse,
            .unassigned:
            false
        default: true
        }
    }
}
