/// Percent-encoding (RFC 3986 §2.1), for each part of a URI.
package enum PercentCoding {
    /// A part of a URI, which decides the bytes that may stay unencoded.
    package enum Place: Sendable, Hashable, CaseIterable {
        /// Only `unreserved` stays: right anywhere, and what RFC 6570 does with inserted values.
        case anywhere
        /// One path segment: `unreserved`, `sub-delims`, `:` and `@` stay; `/` is encoded.
        case pathSegment
        /// A whole path: as a segment, and `/` stays.
        case path
        /// A name or value in a query: `&`, `=`, `+` and `;` are encoded too.
        case queryPart
        /// The form content type: as `queryPart`, and a space becomes `+`.
        case form
        /// Text that may already be encoded: reserved characters and well-formed escapes stay (RFC 6570 `+`).
        case reserved

        func keeps(_ byte: UInt8) -> Bool {
            if byte.isUnreservedByte { return true }
            switch self {
            case .anywhere, .form: return false
            case .pathSegment: return byte.isSubDelimiterByte || byte == 0x3A || byte == 0x40
            case .path: return byte.isSubDelimiterByte || byte == 0x3A || byte == 0x40 || byte == 0x2F
            case .queryPart:
                return byte.isIn(0x8400_9792_0000_0000, 0x0000_0000_0000_0001)
            case .reserved: return byte.isSubDelimiterByte || byte.isGeneralDelimiterByte
            }
        }
    }

    /// The outcome of `check`.
    enum Finding {
        case fine, badEscape, encodedNUL, notUTF8
    }

    /// Encodes the UTF-8 of `text` for `place`. Escapes use capital digits.
    package static func encode(_ text: String, for place: Place = .anywhere) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        append(text.utf8.span, for: place, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the encoded form of `text` to `bytes`.
    static func append(_ text: Span<UInt8>, for place: Place, to bytes: inout [UInt8]) {
        var index = 0
        while index < text.count {
            let byte = text[index]
            if place.keeps(byte) || (place == .reserved && byte == 0x25 && isEscape(text, at: index)) {
                bytes.append(byte)
            } else if place == .form, byte == 0x20 {
                bytes.append(0x2B)
            } else {
                appendEscape(byte, to: &bytes)
            }
            index += 1
        }
    }

    /// Decodes text; nil when an escape is malformed or the result is not UTF-8.
    package static func decode(_ text: String, plusIsSpace: Bool = false) -> String? {
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        guard appendDecoded(bytes[...], plusIsSpace: plusIsSpace, to: &decoded) else { return nil }
        return String(validating: decoded, as: UTF8.self)
    }

    /// Decodes bytes that `check` has passed.
    static func decoded(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> String {
        guard bytes.contains(where: { $0 == 0x25 || (plusIsSpace && $0 == 0x2B) }) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        _ = appendDecoded(bytes, plusIsSpace: plusIsSpace, to: &decoded)
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Validates every escape and the UTF-8 of the decoded text.
    static func check(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Finding {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(end - start)
        var index = start
        while index < end {
            var byte = bytes[index]
            if byte == 0x25 {
                guard end - index >= 3, let high = bytes[index + 1].hexDigitValue,
                    let low = bytes[index + 2].hexDigitValue
                else { return .badEscape }
                byte = high << 4 | low
                if byte == 0 { return .encodedNUL }
                index += 2
            }
            decoded.append(byte)
            index += 1
        }
        return (try? UTF8Span(validating: decoded.span)) == nil ? .notUTF8 : .fine
    }

    private static func appendDecoded(
        _ bytes: ArraySlice<UInt8>, plusIsSpace: Bool, to decoded: inout [UInt8]
    ) -> Bool {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == 0x25 {
                guard bytes.endIndex - index >= 3, let high = bytes[index + 1].hexDigitValue,
                    let low = bytes[index + 2].hexDigitValue
                else { return false }
                decoded.append(high << 4 | low)
                index += 2
            } else {
                decoded.append(plusIsSpace && byte == 0x2B ? 0x20 : byte)
            }
            index += 1
        }
        return true
    }

    private static func isEscape(_ bytes: Span<UInt8>, at index: Int) -> Bool {
        bytes.count - index >= 3 && bytes[index + 1].hexDigitValue != nil
            && bytes[index + 2].hexDigitValue != nil
    }

    private static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(0x25)
        bytes.append(capitalDigit(byte >> 4))
        bytes.append(capitalDigit(byte & 15))
    }

    private static func capitalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x37 + value
    }
}
