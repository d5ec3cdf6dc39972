internal import StrictJSON

/// The line at which each value of a JSON document begins, to report pointers as lines.
package struct SpecLines {
    private var lines = PointerLines()
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private static let depthMax = 64

    /// Indexes a document. Malformed parts are skipped, since the lines are only a hint for people.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        value(at: "", depth: 0)
    }

    /// The line, from 1, of the value at a JSON Pointer, or of the nearest enclosing value.
    package func line(of pointer: String) -> Int { lines.line(of: pointer) }

    private mutating func value(at pointer: String, depth: Int) {
        skipBlanks()
        lines.note(pointer, line: line)
        guard position < bytes.count, depth < SpecLines.depthMax else { return }
        switch bytes[position] {
        case 0x7B: members(of: pointer, depth: depth)
        case 0x5B: elements(of: pointer, depth: depth)
        case 0x22: _ = string()
        default: skipWord()
        }
    }

    private mutating func members(of pointer: String, depth: Int) {
        position += 1
        skipBlanks()
        while position < bytes.count, bytes[position] == 0x22 {
            let nameLine = line
            let member = pointer + JSONPointer(tokens: [string()]).description
            lines.note(member, line: nameLine)
            skipBlanks()
            guard take(0x3A) else { return }
            value(at: member, depth: depth + 1)
            skipBlanks()
            guard take(0x2C) else { break }
            skipBlanks()
        }
        _ = take(0x7D)
    }

    private mutating func elements(of pointer: String, depth: Int) {
        position += 1
        skipBlanks()
        var index = 0
        while position < bytes.count, bytes[position] != 0x5D {
            value(at: pointer + "/\(index)", depth: depth + 1)
            index += 1
            skipBlanks()
            guard take(0x2C) else { break }
        }
        _ = take(0x5D)
    }

    /// The raw content of the string at this position, with escapes as they are.
    private mutating func string() -> String {
        position += 1
        let start = position
        while position < bytes.count, bytes[position] != 0x22 {
            if bytes[position] == 0x0A { line += 1 }
            position += bytes[position] == 0x5C ? 2 : 1
        }
        let end = min(position, bytes.count)
        position = min(end + 1, bytes.count)
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private mutating func skipWord() {
        while position < bytes.count, ![0x2C, 0x5D, 0x7D, 0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
            position += 1
        }
    }

    private mutating func skipBlanks() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
            if bytes[position] == 0x0A { line += 1 }
            position += 1
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }
}
