internal import HTTPMessage

/// The searched forms of a secret: the value itself, and its base 64. `SecretPatterns` handles their escaped forms.
enum SecretForms {
    /// Values shorter than this are too likely to be a part of something else.
    static let bytesMin = 4

    /// All forms of a value, without duplicates; empty for a value that is too short.
    static func all(of value: [UInt8]) -> Set<[UInt8]> {
        guard value.count >= bytesMin else { return [] }
        var forms: Set<[UInt8]> = [value]
        forms.formUnion(base64(of: value))
        if let latin1 = latin1(of: value) { forms.insert(latin1) }
        return forms.filter { $0.count >= bytesMin }
    }

    /// The text in ISO 8859-1, which older servers answer in; nil when it is the same or cannot be written so.
    private static func latin1(of value: [UInt8]) -> [UInt8]? {
        guard !value.allSatisfy({ $0 < 0x80 }), let text = String(validating: value, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.value <= 0xFF })
        else { return nil }
        return text.unicodeScalars.map { UInt8($0.value) }
    }

    /// The base 64 of the value alone, and its digits inside longer content, for each of the three alignments to groups
    /// of three bytes. Digits that depend on neighbouring bytes are left out.
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
}
