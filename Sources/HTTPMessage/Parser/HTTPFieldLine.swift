/// One `name: value` line of a head or trailer section (RFC 9112 §5).
enum HTTPFieldLine {
    /// Finds name and value between `start` and `end`, without the blanks around the value, or throws the reason why
    /// the line is malformed.
    static func read(
        _ bytes: Span<UInt8>, from start: Int, to end: Int
    ) throws(HTTPParseFailure) -> HTTPFields.Entry {
        var nameEnd = start
        while nameEnd < end, bytes[nameEnd].isTokenByte { nameEnd += 1 }
        guard nameEnd < end, nameEnd > start, bytes[nameEnd] == 0x3A else {
            throw badName(bytes, from: start, nameEnd: nameEnd, to: end)
        }
        var valueStart = nameEnd + 1
        while valueStart < end, bytes[valueStart].isBlankByte { valueStart += 1 }
        var valueEnd = end
        while valueEnd > valueStart, bytes[valueEnd - 1].isBlankByte { valueEnd -= 1 }
        var index = valueStart
        while index < valueEnd {
            guard bytes[index].isFieldValueByte else { throw badValue(bytes[index]) }
            index += 1
        }
        return HTTPFields.Entry(
            nameStart: UInt32(truncatingIfNeeded: start), nameEnd: UInt32(truncatingIfNeeded: nameEnd),
            valueStart: UInt32(truncatingIfNeeded: valueStart), valueEnd: UInt32(truncatingIfNeeded: valueEnd)
        )
    }

    private static func badName(
        _ bytes: Span<UInt8>, from start: Int, nameEnd: Int, to end: Int
    ) -> HTTPParseFailure {
        if nameEnd == start, bytes[start].isBlankByte {
            return HTTPParseFailure(
                .field, "A field line starts with a blank; folded lines are not accepted.")
        }
        if nameEnd == start, bytes[start] == 0x3A { return HTTPParseFailure(.field, "A field has no name.") }
        if nameEnd == end { return HTTPParseFailure(.field, "A field line has no colon.") }
        if bytes[nameEnd].isBlankByte {
            return HTTPParseFailure(.field, "A field name is followed by a blank instead of a colon.")
        }
        return HTTPParseFailure(.field, "A field name holds a byte that is not allowed there.")
    }

    private static func badValue(_ byte: UInt8) -> HTTPParseFailure {
        byte == 0x0D
            ? HTTPParseFailure(.lineEnd, "A carriage return is not followed by a line feed.")
            : HTTPParseFailure(.field, "A field value holds a control byte.")
    }
}
