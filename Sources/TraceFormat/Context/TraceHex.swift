/// 64 bits as 16 hexadecimal digits in lower case, the only form that W3C Trace Context takes.
enum TraceHex {
    static func text(_ bits: UInt64) -> String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// The number that `bytes` write; nil for upper case and anything else that is no digit.
    static func number(_ bytes: some Sequence<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for byte in bytes {
            switch byte {
            case 0x30...0x39: number = number << 4 | UInt64(byte - 0x30)
            case 0x61...0x66: number = number << 4 | UInt64(byte - 0x57)
            default: return nil
            }
        }
        return number
    }
}
