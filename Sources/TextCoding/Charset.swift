import Glibc

/// Text in the charsets that the C library knows (iconv(3)).
public enum Charset {
    /// Why bytes are no text in a charset.
    public enum Fault: Error, Sendable, Hashable {
        /// No charset of this name is known.
        case unknown
        /// The bytes are not what the charset allows, or end within a character.
        case malformed
    }

    /// The longest name that is looked up, in bytes.
    private static let nameBytesMax = 40
    /// How much is converted at a time, in bytes.
    private static let roomBytes = 16 << 10

    /// The text that `bytes` are in the charset with this name, the case of which does not matter.
    public static func text(of bytes: [UInt8], in name: String) throws(Fault) -> String {
        // A slash begins what iconv takes for instructions.
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

    /// The bytes as UTF-8; nil when they cannot be converted to their end.
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
                    // With no input what the converter holds back comes out.
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
