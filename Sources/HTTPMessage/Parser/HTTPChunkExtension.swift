/// Validates chunk extensions (RFC 9112 §7.1.1): `;name`, `;name=token` or `;name="quoted"`, without blanks. Their
/// meaning is ignored.
enum HTTPChunkExtension {
    /// Whether the bytes from `start` to `end` are zero or more extensions.
    static func areValid(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        var index = start
        while index < end {
            guard bytes[index] == 0x3B else { return false }
            index += 1
            guard takeToken(bytes, at: &index, to: end) else { return false }
            guard index < end, bytes[index] == 0x3D else { continue }
            index += 1
            let isQuoted = index < end && bytes[index] == 0x22
            guard isQuoted ? takeQuoted(bytes, at: &index, to: end) : takeToken(bytes, at: &index, to: end)
            else {
                return false
            }
        }
        return true
    }

    private static func takeToken(_ bytes: Span<UInt8>, at index: inout Int, to end: Int) -> Bool {
        let start = index
        while index < end, bytes[index].isTokenByte { index += 1 }
        return index > start
    }

    /// Takes a quoted string, from its opening to its closing quote.
    private static func takeQuoted(_ bytes: Span<UInt8>, at index: inout Int, to end: Int) -> Bool {
        index += 1
        while index < end {
            let byte = bytes[index]
            index += 1
            if byte == 0x22 { return true }
            guard byte.isFieldValueByte else { return false }
            if byte == 0x5C {
                guard index < end, bytes[index].isFieldValueByte else { return false }
                index += 1
            }
        }
        return false
    }
}
