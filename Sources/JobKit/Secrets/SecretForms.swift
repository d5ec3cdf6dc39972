internal import HTTPMessage
internal import StrictJSON

/// The ways in which a secret value may come back: as it is, percent-encoded, in base 64, inside of JSON.
enum SecretForms {
    /// Values shorter than this are too likely to be a part of something else.
    static let bytesMin = 4

    /// All forms of a value, each once; empty for a value that is too short to be looked for.
    static func all(of value: [UInt8]) -> Set<[UInt8]> {
        guard value.count >= bytesMin else { return [] }
        var forms: Set<[UInt8]> = [value]
        for keeps in [[], Array("/".utf8), Array("!*'()/:@,;$&=+".utf8)] {
            forms.insert(percentEncoded(value, keeping: keeps, digits: "0123456789ABCDEF"))
            forms.insert(percentEncoded(value, keeping: keeps, digits: "0123456789abcdef"))
            forms.insert(
                percentEncoded(value, keeping: keeps, digits: "0123456789ABCDEF", spaceIsPlus: true))
        }
        forms.formUnion(base64(of: value))
        if let text = String(validating: value, as: UTF8.self) {
            for asciiOnly in [false, true] {
                let escaped = jsonEscaped(text, asciiOnly: asciiOnly)
                forms.insert(escaped)
                // JSON that is quoted in JSON, as echoes and logs of requests do.
                forms.insert(jsonEscaped(String(decoding: escaped, as: UTF8.self), asciiOnly: asciiOnly))
            }
            forms.insert(markupEscaped(value))
        }
        return forms.filter { $0.count >= bytesMin }
    }

    /// The base 64 of the value alone, and the digits that it makes wherever it stands in a longer content: there are
    /// three ways to lie across groups of three bytes. Digits that depend on the neighbours are left out.
    private static func base64(of value: [UInt8]) -> Set<[UInt8]> {
        var forms: Set<[UInt8]> = [Base64.encode(value)]
        for before in 0..<3 {
            let digits = Base64.encode([UInt8](repeating: 0, count: before) + value)
            let first = before == 0 ? 0 : before + 1
            let whole = (before + value.count) * 8 / 6
            if whole - first >= 6 { forms.insert(Array(digits[first..<whole])) }
        }
        for form in forms {
            forms.insert(form.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 }.filter { $0 != 0x3D })
        }
        return forms
    }

    private static func percentEncoded(
        _ value: [UInt8], keeping kept: [UInt8], digits: StaticString, spaceIsPlus: Bool = false
    ) -> [UInt8] {
        let digits = Array(digits.description.utf8)
        var text: [UInt8] = []
        text.reserveCapacity(value.count * 3)
        for byte in value {
            if isUnreserved(byte) || kept.contains(byte) {
                text.append(byte)
            } else if spaceIsPlus, byte == 0x20 {
                text.append(0x2B)
            } else {
                text += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return text
    }

    /// As it stands in HTML and XML.
    private static func markupEscaped(_ value: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in value {
            switch byte {
            case 0x26: bytes += Array("&amp;".utf8)
            case 0x3C: bytes += Array("&lt;".utf8)
            case 0x3E: bytes += Array("&gt;".utf8)
            case 0x22: bytes += Array("&quot;".utf8)
            case 0x27: bytes += Array("&#39;".utf8)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// The inside of a JSON string: as our writer makes it, or with everything beyond ASCII escaped.
    private static func jsonEscaped(_ text: String, asciiOnly: Bool) -> [UInt8] {
        var bytes = Array(JSONValue.string(text).encoded().dropFirst().dropLast())
        guard asciiOnly else { return bytes }
        bytes = []
        let digits = Array("0123456789abcdef".utf8)
        for unit in text.utf16 {
            switch unit {
            case 0x22, 0x5C: bytes += [0x5C, UInt8(unit)]
            case 0x0A: bytes += Array(#"\n"#.utf8)
            case 0x0D: bytes += Array(#"\r"#.utf8)
            case 0x09: bytes += Array(#"\t"#.utf8)
            case 0x20..<0x7F: bytes.append(UInt8(unit))
            default:
                bytes += Array(#"\u"#.utf8)
                for shift in [12, 8, 4, 0] { bytes.append(digits[Int(unit >> shift & 15)]) }
            }
        }
        return bytes
    }
}
