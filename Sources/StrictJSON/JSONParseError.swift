/// The reason why a document is not valid, with its position.
public struct JSONParseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem. The raw value is stable and meant for programs.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The text does not follow the grammar of RFC 8259.
        case syntax = "json.syntax"
        /// A name occurs twice in one object.
        case duplicateMember = "json.duplicate_member"
        /// Objects and arrays are nested too deeply.
        case depth = "json.depth"
        /// The document has too many bytes.
        case size = "json.size"
        /// The bytes are not UTF-8.
        case utf8 = "json.utf8"
        /// A number is written in a form that JSON does not have, or is too long.
        case number = "json.number"
        /// A backslash escape is invalid, or a character that must be escaped is not.
        case escape = "json.escape"
        /// The document has too many members and elements.
        case members = "json.members"
    }

    /// The kind of problem.
    public let code: Code
    /// One or two sentences for people: the problem and the remedy.
    public let detail: String
    /// The byte offset of the problem, from 0; equal to the number of bytes when the document ends too early.
    public let offset: Int
    /// The line of that byte, from 1. CR, LF and CR LF each end a line.
    public let line: Int
    /// The character within the line, from 1, counted in Unicode scalars.
    public let column: Int
    /// The value with the problem; for a repeated name the member with that name.
    public let pointer: JSONPointer

    /// An error at a known position.
    public init(code: Code, detail: String, offset: Int, line: Int, column: Int, pointer: JSONPointer) {
        self.code = code
        self.detail = detail
        self.offset = offset
        self.line = line
        self.column = column
        self.pointer = pointer
    }

    /// The message with its position: `line 3, column 14: …`.
    public var description: String { description(inTextFrom: 1) }

    /// The same for a document that begins at another line of a longer text.
    public func description(inTextFrom first: Int) -> String {
        "line \(line + first - 1), column \(column): \(detail)"
    }
}

extension JSONParseError {
    /// Finds the line and column of a fault.
    init(_ fault: JSONFault, in bytes: Span<UInt8>) {
        let place = TextPlace(of: fault.offset, in: bytes)
        self.init(
            code: fault.code, detail: fault.detail, offset: fault.offset, line: place.line,
            column: place.column,
            pointer: JSONPointer(tokens: fault.stepsOutwards.reversed()))
    }
}
