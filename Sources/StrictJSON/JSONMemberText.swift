/// Finds the text of a member's value in the text of an object, without parsing the rest.
package enum JSONMemberText {
    /// The range of the value of the member `name` of the outermost object.
    /// - Parameters:
    ///   - name: the member's name as written between the quotation marks.
    ///   - text: a valid JSON text.
    /// - Returns: nil when the text is not an object, has no such member, or writes its name with escapes.
    package static func range(of name: [UInt8], in text: [UInt8]) -> Range<Int>? {
        let text = text.span
        var index = skipSpace(text, from: 0)
        guard index < text.count, text[index] == 0x7B else { return nil }
        while true {
            index = skipSpace(text, from: index + 1)
            guard index < text.count, text[index] == 0x22 else { return nil }
            let nameEnd = text.endOfString(openedAt: index)
            let isWanted = isEqual(text, from: index + 1, to: nameEnd, name)
            // The colon.
            index = skipSpace(text, from: skipSpace(text, from: nameEnd + 1) + 1)
            let start = index
            index = endOfValue(text, from: start)
            if isWanted { return index < text.count ? start..<lastByte(text, from: start, to: index) : nil }
            guard index < text.count, text[index] == 0x2C else { return nil }
        }
    }

    private static func isEqual(_ text: Span<UInt8>, from start: Int, to end: Int, _ name: [UInt8]) -> Bool {
        guard end - start == name.count else { return false }
        for offset in name.indices where text[start + offset] != name[offset] { return false }
        return true
    }

    /// The position of the comma or brace after a value.
    private static func endOfValue(_ text: Span<UInt8>, from start: Int) -> Int {
        var depth = 0
        var index = start
        while index < text.count {
            switch text[index] {
            case 0x22: index = text.endOfString(openedAt: index)
            case 0x5B, 0x7B: depth += 1
            case 0x5D, 0x7D, 0x2C:
                if depth == 0 { return index }
                if text[index] != 0x2C { depth -= 1 }
            default: break
            }
            index += 1
        }
        return index
    }

    private static func lastByte(_ text: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var end = end
        while end > start, isSpace(text[end - 1]) { end -= 1 }
        return end
    }

    private static func skipSpace(_ text: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < text.count, isSpace(text[index]) { index += 1 }
        return index
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
