internal import StrictJSON

/// Words for a shell. They mean the same in every POSIX shell, and can be shown and pasted: control characters are
/// written as `"$(printf '\033')"`.
extension ShellText {
    /// The text as one word, with variables in double quotes and everything else quoted against expansion; nil when it
    /// contains NUL, which no argument can.
    var word: String? {
        guard !isEmpty else { return "''" }
        var word: [UInt8] = []
        for part in parts {
            switch part {
            case .bytes(let bytes):
                if bytes.contains(0) { return nil }
                word += Self.literal(bytes)
            case .variable(let variable): word += "\"$\(variable.name)\"".utf8
            }
        }
        return String(decoding: word, as: UTF8.self)
    }

    /// A word without variables.
    static func word(_ text: String) -> String? { ShellText(text).word }

    /// A text behind `#`: without line feeds and what else cannot be shown. An interactive zsh takes a pasted comment
    /// for a command, so that it is quoted when it contains anything that could run another.
    static func comment(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let hidden = HiddenBytes(in: bytes)
        let shown = bytes.indices.filter { bytes[$0] != 0x0A && hidden?[$0] != true }.map { bytes[$0] }
        let isActive = shown.contains { "'\"`;&|<>()\\!{".utf8.contains($0) }
        return String(decoding: isActive ? quoted(shown[...]) : shown, as: UTF8.self)
    }

    private static func literal(_ bytes: [UInt8]) -> [UInt8] {
        let isPlain = bytes.allSatisfy { byte in
            (byte | 0x20) &- 0x61 < 26 || byte &- 0x2B < 16 && byte != 0x2C || byte == 0x5F || byte == 0x40
        }
        if isPlain { return bytes }
        guard let hidden = HiddenBytes(in: bytes) else { return quoted(bytes[...]) }
        return printed(bytes, hidden)
    }

    private static func quoted(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var word: [UInt8] = [0x27]
        for byte in bytes { if byte == 0x27 { word += "'\\''".utf8 } else { word.append(byte) } }
        return word + [0x27]
    }

    /// The format has no byte that a shell could take for a quote, an expansion or an event of its history. A command
    /// substitution drops the line ends at its end, which are quoted behind it.
    private static func printed(_ bytes: [UInt8], _ hidden: HiddenBytes) -> [UInt8] {
        let end = (bytes.lastIndex { $0 != 0x0A } ?? -1) + 1
        var word = Array("\"$(printf '".utf8)
        for index in 0..<end {
            let byte = bytes[index]
            switch byte {
            case 0x25: word += "%%".utf8
            case 0x21, 0x22, 0x24, 0x27, 0x5C, 0x60, 0x0A: appendOctal(byte, to: &word)
            // An option of printf begins with it.
            case 0x2D where index == 0: appendOctal(byte, to: &word)
            default: if hidden[index] { appendOctal(byte, to: &word) } else { word.append(byte) }
            }
        }
        word += "')\"".utf8
        return end == bytes.count ? word : word + quoted(bytes[end...])
    }

    private static func appendOctal(_ byte: UInt8, to word: inout [UInt8]) {
        word += [0x5C, 0x30 + (byte >> 6), 0x30 + (byte >> 3 & 7), 0x30 + (byte & 7)]
    }
}

/// The bytes of a text that cannot be shown as they are: what is not UTF-8, control characters other than the line
/// feed, and characters that change the direction of what follows.
struct HiddenBytes {
    private var isHidden: [Bool]

    /// Nil when there is none.
    init?(in bytes: [UInt8]) {
        isHidden = Array(repeating: false, count: bytes.count)
        let isText = (try? UTF8Span(validating: bytes.span)) != nil
        var isAny = false
        for (index, byte) in bytes.enumerated() {
            // In valid UTF-8, a leading byte has its others behind it.
            let length =
                switch byte {
                case 0..<0x0A, 0x0B..<0x20, 0x7F: 1
                case ..<0x80: 0
                case _ where !isText: 1
                case 0xC2 where bytes[index + 1] < 0xA0: 2
                case 0xE2 where Self.turns(bytes[index + 1], bytes[index + 2]): 3
                default: 0
                }
            for offset in 0..<length { isHidden[index + offset] = true }
            if length > 0 { isAny = true }
        }
        guard isAny else { return nil }
    }

    subscript(index: Int) -> Bool { isHidden[index] }

    /// The end of U+200E, U+200F, U+202A to U+202E, and U+2066 to U+2069.
    private static func turns(_ second: UInt8, _ third: UInt8) -> Bool {
        switch (second, third) {
        case (0x80, 0x8E...0x8F), (0x80, 0xAA...0xAE), (0x81, 0xA6...0xA9): true
        default: false
        }
    }
}
