internal import HTTPMessage

/// The bytes of a URL on a curl command line, as curl changes them.
enum CurlURL {
    /// The URL with the scheme that curl assumes when it is missing.
    static func withScheme(_ url: [UInt8]) -> [UInt8] {
        url.position(of: "://") == nil ? Array("http://".utf8) + url : url
    }

    /// The position of the host, with what is before it.
    static func hostPosition(in url: [UInt8]) -> Int { url.position(of: "://").map { $0 + 3 } ?? 0 }

    /// The URL without dot segments, which curl removes.
    static func withoutDots(_ url: String) -> String {
        let bytes = Array(url.utf8)
        let begin = hostPosition(in: bytes)
        let end = bytes[begin...].firstIndex(of: 0x3F) ?? bytes.endIndex
        guard let slash = bytes[begin..<end].firstIndex(of: 0x2F) else { return url }
        let path = URLReference.withoutDots(String(decoding: bytes[slash..<end], as: UTF8.self))
        return String(decoding: bytes[..<slash] + Array(path.utf8) + bytes[end...], as: UTF8.self)
    }

    /// The URL as text, without the braces of a template.
    static func withoutBraces(_ url: [UInt8]) -> String {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(url.count)
        for byte in url {
            switch byte {
            case 0x7B: escaped += "%7B".utf8
            case 0x7D: escaped += "%7D".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Percent-decoded; a malformed escape stays.
    static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == 0x25, digits.count == 2 {
                decoded.append(UInt8(digits[0] << 4 | digits[1]))
                rest.removeFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }

    /// Form encoding of any bytes.
    static func formEncoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in bytes {
            let isPlain = (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || "-._~".utf8.contains(byte)
            if isPlain {
                encoded.append(byte)
            } else if byte == 0x20 {
                encoded.append(0x2B)
            } else {
                encoded += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return encoded
    }
}
