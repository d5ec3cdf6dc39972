/// Bytes written as lower case hexadecimal digits.
package enum HexText {
    /// Two digits for each byte.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.append(addingCapacity: 2 * bytes.count) { (output: inout OutputSpan<UInt8>) in
            for byte in bytes {
                output.append(digit(of: byte >> 4))
                output.append(digit(of: byte & 15))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digit(of half: UInt8) -> UInt8 { half < 10 ? 0x30 + half : 0x57 + half }

    /// The bytes that `text` writes; nil for an odd number of digits or anything that is no digit.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let source = Array(text.utf8)
        guard source.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count / 2)
        for index in stride(from: 0, to: source.count, by: 2) {
            guard let high = digit(source[index]), let low = digit(source[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
