/// Validates `host` and `host:port` as in a Host field or an authority (RFC 3986 §3.2.2).
package enum HostText {
    /// Whether `text` is a registered name (RFC 3986 §3.2.2) or a dotted address, without a port.
    package static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return !bytes.contains(0x3A) && isValid(bytes.span, from: 0, to: bytes.count)
    }

    /// Whether the bytes are a non-empty registered name, dotted address or bracketed IPv6 address, with an optional
    /// port 1…65535. Refuses user information, IPv6 zones, and characters such as `,` that RFC 3986 allows in a name: a
    /// comma indicates two Host fields that an intermediary has joined.
    static func isValid(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        guard start < end else { return false }
        var index = start
        if bytes[start] == 0x5B {
            while index < end, bytes[index] != 0x5D { index += 1 }
            guard index < end, isIPv6(bytes, from: start + 1, to: index) else { return false }
            index += 1
        } else {
            while index < end, bytes[index] != 0x3A {
                let byte = bytes[index]
                if byte == 0x25 {
                    guard end - index >= 3, let high = bytes[index + 1].hexDigitValue,
                        let low = bytes[index + 2].hexDigitValue, high | low != 0
                    else { return false }
                } else if !byte.isUnreservedByte {
                    return false
                }
                index += 1
            }
            guard index > start else { return false }
        }
        return index == end || (bytes[index] == 0x3A && isPort(bytes, from: index + 1, to: end))
    }

    /// Whether the bytes are an IPv6 address.
    private static func isIPv6(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        guard end - start <= 45 else { return false }
        var text = ""
        for index in start..<end { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
        return IPAddress(text)?.isIPv4 == false
    }

    /// Whether the bytes are a port 1…65535 in at most five digits.
    static func isPort(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        guard end - start >= 1, end - start <= 5 else { return false }
        var port = 0
        for index in start..<end {
            guard bytes[index].isDigitByte else { return false }
            port = port * 10 + Int(bytes[index] - 0x30)
        }
        return (1...65535).contains(port)
    }
}
