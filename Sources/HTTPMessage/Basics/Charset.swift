#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Text in the charsets that the C library knows (iconv(3)).
package enum Charset {
    /// The reason why bytes cannot be decoded.
    package enum Fault: Error, Sendable, Hashable {
        /// The charset is unknown.
        case unknown
        /// The bytes are invalid in the charset, or end within a character.
        case malformed
    }

    /// The maximum length of a name, in bytes.
    private static let nameBytesMax = 40
    /// The size of the conversion buffer, in bytes.
    private static let roomBytes = 16 << 10

    /// Decodes `bytes` in the charset with this case-insensitive name.
    package static func text(of bytes: [UInt8], in name: String) throws(Fault) -> String {
        // A slash begins options of iconv.
        guard (1...nameBytesMax).contains(name.utf8.count), name.utf8.allSatisfy(isNameByte) else {
            throw .unknown
        }
        guard let converter = unsafe iconv_open("UTF-8", name), Int(bitPattern: converter) != -1
        else { throw .unknown }
        defer { unsafe iconv_close(converter) }
        guard let converted = unsafe convert(bytes, converter),
            let text = String(validating: converted, as: UTF8.self)
        else { throw .malformed }
        return text
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        let isLetter = byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
        return isLetter || (0x30...0x39).contains(byte) || "-_.:+()".utf8.contains(byte)
    }

    /// Converts bytes to UTF-8; nil when they cannot be converted to their end.
    private static func convert(_ bytes: [UInt8], _ converter: iconv_t) -> [UInt8]? {
        var bytes = bytes
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + bytes.count / 2)
        let isWhole = unsafe bytes.withUnsafeMutableBytes { input in
            unsafe withUnsafeTemporaryAllocation(byteCount: roomBytes, alignment: 1) { room in
                var next = unsafe input.baseAddress?.assumingMemoryBound(to: CChar.self)
                var left = input.count
                while true {
                    var start = unsafe room.baseAddress?.assumingMemoryBound(to: CChar.self)
                    var free = room.count
                    // Without input, the converter flushes what it holds back.
                    let isOver = left == 0
                    let result =
                        isOver
                        ? unsafe iconv(converter, nil, nil, &start, &free)
                        : unsafe iconv(converter, &next, &left, &start, &free)
                    let isFull = result == -1 && errno == E2BIG
                    unsafe output.append(contentsOf: room.prefix(room.count - free))
                    if isFull { continue }
                    if result == -1 { return false }
                    if isOver { return true }
                }
            }
        }
        return isWhole ? output : nil
    }
}
