/// A word of a shell command, without its quotes.
struct ShellWord: Sendable, Hashable {
    /// What the program is given: any bytes but NUL.
    var bytes: [UInt8]
    /// Where it begins.
    var place: ShellPlace

    /// The word as text; bytes that are not UTF-8 are replaced.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// A place in a script.
struct ShellPlace: Sendable, Hashable, CustomStringConvertible {
    /// From 1.
    var line = 1
    /// In bytes, from 1.
    var column = 1

    var description: String { "line \(line), column \(column)" }
}

/// Something in a script that is not taken.
struct ShellProblem: Sendable, Hashable {
    /// Where.
    var place: ShellPlace
    /// What, and what to do about it.
    var detail: String
}
