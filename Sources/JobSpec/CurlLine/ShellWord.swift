internal import JobKit

/// A word of a shell command, without its quotes.
struct ShellWord: Sendable, Hashable {
    /// The bytes passed to the program, without NUL.
    var bytes: [UInt8]
    /// The position of its beginning.
    var place: ShellPlace

    /// The word as text; nil when it is not UTF-8.
    var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The beginning of the word for a message.
    var shown: String {
        String(quotable: String(decoding: bytes.prefix(Self.shownBytesMax), as: UTF8.self))
    }

    private static let shownBytesMax = 300

    /// Whether the word is these bytes.
    func spells(_ text: String) -> Bool { bytes.elementsEqual(text.utf8) }
}

/// A position in a script.
struct ShellPlace: Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1.
    var line = 1
    /// The column in bytes, from 1.
    var column = 1

    var description: String { "line \(line), column \(column)" }
}

/// A part of a script that cannot be translated.
struct ShellProblem: Sendable, Hashable {
    var place: ShellPlace
    /// The problem and its remedy.
    var detail: String
}
