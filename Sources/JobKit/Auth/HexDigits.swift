/// Bytes as small hexadecimal digits.
enum HexDigits {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Two digits for each byte.
    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
