extension JSONValue {
    /// The value as JSON without white space.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }

    /// The length of `encoded()` in bytes; nil when it is greater than `limit`. Visits no more of the value than that.
    public func encodedCount(upTo limit: Int) -> Int? {
        var left = limit
        take(from: &left)
        return left >= 0 ? limit - left : nil
    }

    private func take(from left: inout Int) {
        switch self {
        case .null: left -= 4
        case .bool(let flag): left -= flag ? 4 : 5
        case .number(let number): left -= number.text.utf8.count
        case .string(let text): left -= [UInt8].jsonStringCount(text)
        case .array(let elements):
            left -= max(2, elements.count + 1)
            for element in elements where left >= 0 { element.take(from: &left) }
        case .object(let object):
            left -= max(2, object.count * 2 + 1)
            for member in object.members where left >= 0 {
                left -= [UInt8].jsonStringCount(member.name)
                member.value.take(from: &left)
            }
        }
    }

    /// The value as JSON for people: one member or element a line, `indent` spaces a level, empty ones as `{}` `[]`.
    public func encoded(indent: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        appendIndented(to: &bytes, indent: max(0, indent), level: 0)
        return bytes
    }

    private func appendIndented(to bytes: inout [UInt8], indent: Int, level: Int) {
        switch self {
        case .array(let elements) where !elements.isEmpty:
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                bytes.appendLineStart(isFirst: index == 0, spaces: indent * (level + 1))
                element.appendIndented(to: &bytes, indent: indent, level: level + 1)
            }
            bytes.appendLineStart(isFirst: true, spaces: indent * level)
            bytes.append(UInt8(ascii: "]"))
        case .object(let object) where !object.isEmpty:
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                bytes.appendLineStart(isFirst: index == 0, spaces: indent * (level + 1))
                bytes.appendJSONString(member.name)
                bytes.append(contentsOf: ": ".utf8)
                member.value.appendIndented(to: &bytes, indent: indent, level: level + 1)
            }
            bytes.appendLineStart(isFirst: true, spaces: indent * level)
            bytes.append(UInt8(ascii: "}"))
        case .null, .bool, .number, .string, .array, .object:
            bytes.append(contentsOf: encoded())
        }
    }
}

extension [UInt8] {
    fileprivate mutating func appendLineStart(isFirst: Bool, spaces: Int) {
        if !isFirst { append(UInt8(ascii: ",")) }
        append(0x0A)
        append(contentsOf: repeatElement(0x20, count: spaces))
    }
}
