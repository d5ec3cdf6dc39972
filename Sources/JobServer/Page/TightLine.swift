/// Removes insignificant spaces from a line of the page: a tenth of the transfer. Strings, templates and regular
/// expressions are kept, and none of them spans lines.
enum TightLine {
    /// A line of a style sheet.
    static func style(_ line: Substring) -> String {
        var line = String(line)
        for mark in ["{", "}", ":", ";", ","] {
            // A space before a colon would change the selector.
            for wide in mark == ":" ? [": "] : [" \(mark) ", " \(mark)", "\(mark) "] {
                line = line.split(separator: wide, omittingEmptySubsequences: false).joined(separator: mark)
            }
        }
        return line
    }

    /// A line of a script.
    static func script(_ line: Substring) -> String {
        var reader = Script(Array(line.utf8))
        reader.read()
        return String(decoding: reader.tight, as: UTF8.self)
    }

    private struct Script {
        private let bytes: [UInt8]
        private var at = 0
        private(set) var tight: [UInt8] = []
        /// The open delimiters: templates, code inside them, and braces in that code.
        private var open: [UInt8] = []

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        private static let backtick = UInt8(ascii: "`")
        private static let backslash = UInt8(ascii: "\\")
        private static let brace = UInt8(ascii: "{")

        mutating func read() {
            while at < bytes.count {
                let byte = bytes[at]
                if open.last == Self.backtick {
                    template(byte)
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    copy(through: byte)
                } else if byte == UInt8(ascii: "/"), mayBeginExpression {
                    copy(through: byte)
                } else if byte == UInt8(ascii: " "), !isNeeded {
                    at += 1
                } else {
                    if byte == Self.backtick || byte == Self.brace, byte == Self.backtick || !open.isEmpty {
                        open.append(byte)
                    } else if byte == UInt8(ascii: "}"), !open.isEmpty {
                        open.removeLast()
                    }
                    take()
                }
            }
        }

        private mutating func take() {
            tight.append(bytes[at])
            at += 1
        }

        private mutating func template(_ byte: UInt8) {
            take()
            if byte == Self.backslash, at < bytes.count {
                take()
            } else if byte == Self.backtick {
                open.removeLast()
            } else if byte == UInt8(ascii: "$"), at < bytes.count, bytes[at] == Self.brace {
                open.append(Self.brace)
                take()
            }
        }

        /// Copies a string, or a regular expression, whose end mark may occur inside brackets.
        private mutating func copy(through end: UInt8) {
            var isBracket = false
            take()
            while at < bytes.count {
                let byte = bytes[at]
                take()
                switch byte {
                case Self.backslash where at < bytes.count: take()
                case UInt8(ascii: "[") where end == UInt8(ascii: "/"): isBracket = true
                case UInt8(ascii: "]"): isBracket = false
                case end where !isBracket: return
                default: break
                }
            }
        }

        /// Whether a slash here begins a regular expression rather than divides.
        private var mayBeginExpression: Bool {
            tight.last { $0 != UInt8(ascii: " ") }.map { "(,=:[!&|?{};".utf8.contains($0) } ?? true
        }

        /// Whether the space here separates two words or two operators.
        private var isNeeded: Bool {
            guard let before = tight.last, at + 1 < bytes.count else { return false }
            let after = bytes[at + 1]
            return Self.isWord(before) && Self.isWord(after)
                || "+-".utf8.contains(before) && "+-".utf8.contains(after)
        }

        private static func isWord(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x24, 0x5F, 0x80...: true
            default: false
            }
        }
    }
}
