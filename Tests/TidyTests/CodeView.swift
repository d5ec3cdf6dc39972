/// Swift text with everything but code blanked: comments, string contents, names in back-ticks.
///
/// Line breaks stay, so line numbers are those of the file. Code inside string interpolations counts as string.
enum CodeView {
    static func lines(of text: String) -> [String] {
        var lexer = Lexer(bytes: Array(text.utf8))
        lexer.run()
        return lexer.output.split(separator: 0x0A, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private struct Lexer {
        let bytes: [UInt8]
        var output: [UInt8] = []
        var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func run() {
            while position < bytes.count {
                if follows(slash, slash) {
                    skipLine()
                } else if follows(slash, star) {
                    skipBlock()
                } else if bytes[position] == quote || (bytes[position] == hash && stringAfterHashes() != nil)
                {
                    skipString()
                } else if bytes[position] == backTick {
                    skipQuotedName()
                } else {
                    output.append(bytes[position])
                    position += 1
                }
            }
        }

        private let slash: UInt8 = 0x2F
        private let star: UInt8 = 0x2A
        private let quote: UInt8 = 0x22
        private let hash: UInt8 = 0x23
        private let backTick: UInt8 = 0x60
        private let newLine: UInt8 = 0x0A

        private func follows(_ first: UInt8, _ second: UInt8) -> Bool {
            bytes[position] == first && position + 1 < bytes.count && bytes[position + 1] == second
        }

        private mutating func blank(_ count: Int = 1) {
            for _ in 0..<count where position < bytes.count {
                output.append(bytes[position] == newLine ? newLine : 0x20)
                position += 1
            }
        }

        private mutating func skipLine() {
            while position < bytes.count, bytes[position] != newLine { blank() }
        }

        private mutating func skipBlock() {
            var depth = 0
            while position < bytes.count {
                if follows(slash, star) {
                    depth += 1
                    blank(2)
                } else if follows(star, slash) {
                    depth -= 1
                    blank(2)
                    if depth == 0 { return }
                } else {
                    blank()
                }
            }
        }

        private mutating func skipQuotedName() {
            output.append(0x71)
            position += 1
            while position < bytes.count, bytes[position] != backTick, bytes[position] != newLine { blank() }
            blank()
        }

        /// The number of hashes before a quote at this position; nil when no string starts here.
        private func stringAfterHashes() -> Int? {
            var count = 0
            while position + count < bytes.count, bytes[position + count] == hash { count += 1 }
            guard position + count < bytes.count, bytes[position + count] == quote else { return nil }
            return count
        }

        private mutating func skipString() {
            let hashes = stringAfterHashes() ?? 0
            blank(hashes)
            let isLong = (follows(quote, quote) && position + 2 < bytes.count && bytes[position + 2] == quote)
            blank(isLong ? 3 : 1)
            let marks = [UInt8](repeating: hash, count: hashes)
            let end = [UInt8](repeating: quote, count: isLong ? 3 : 1) + marks
            let escape = [0x5C] + marks
            while position < bytes.count {
                if bytes[position...].starts(with: end) {
                    blank(end.count)
                    return
                } else if bytes[position...].starts(with: escape) {
                    blank(escape.count)
                    if position < bytes.count, bytes[position] == 0x28 {
                        skipInterpolation()
                    } else {
                        blank()
                    }
                } else if !isLong, bytes[position] == newLine {
                    return
                } else {
                    blank()
                }
            }
        }

        private mutating func skipInterpolation() {
            var depth = 0
            while position < bytes.count {
                switch bytes[position] {
                case 0x28: depth += 1
                case 0x29: depth -= 1
                case quote:
                    skipString()
                    continue
                default: break
                }
                blank()
                if depth == 0 { return }
            }
        }
    }
}

extension String {
    /// Whether the text contains `word` without a letter, digit or underscore next to it.
    func hasWord(_ word: String) -> Bool {
        let text = Array(utf8)
        let wanted = Array(word.utf8)
        guard !wanted.isEmpty, text.count >= wanted.count else { return false }
        for start in 0...(text.count - wanted.count) where text[start...].starts(with: wanted) {
            let end = start + wanted.count
            let opens = start == 0 || !text[start - 1].isWordByte || !wanted[0].isWordByte
            let closes = end == text.count || !text[end].isWordByte || !wanted[wanted.count - 1].isWordByte
            if opens && closes { return true }
        }
        return false
    }
}

extension UInt8 {
    /// Whether the byte is part of an ASCII word.
    var isWordByte: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
            || self == 0x5F
    }
}
