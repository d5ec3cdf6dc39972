/// A media type with its parameters, as in Content-Type and Accept (RFC 9110 §8.3.1, §12.5.1).
package struct MediaType: Sendable, CustomStringConvertible {
    /// The type, in lower case: `application`. `*` in a range.
    package let type: String
    /// The subtype, in lower case: `json`. `*` in a range.
    package let subtype: String
    /// The parameters in order, names in lower case, values without their quotes.
    package let parameters: [(name: String, value: String)]

    /// Parses a media type; nil when it is malformed.
    package init?(_ text: String) {
        var reader = FieldValueReader(text)
        reader.skipBlanks()
        guard let read = MediaType(reading: &reader), reader.isAtEnd else { return nil }
        self = read
    }

    init?(reading reader: inout FieldValueReader) {
        guard let type = reader.takeToken(), reader.take(0x2F), let subtype = reader.takeToken() else {
            return nil
        }
        var parameters: [(name: String, value: String)] = []
        reader.skipBlanks()
        while reader.take(0x3B) {
            reader.skipBlanks()
            if reader.peek == nil || reader.peek == 0x3B || reader.peek == 0x2C { continue }
            guard let name = reader.takeToken(), reader.take(0x3D), let value = reader.takeTokenOrQuoted()
            else {
                return nil
            }
            parameters.append((name.asciiLowercased, value))
            reader.skipBlanks()
        }
        guard reader.isAtEnd || reader.peek == 0x2C else { return nil }
        self.type = type.asciiLowercased
        self.subtype = subtype.asciiLowercased
        self.parameters = parameters
    }

    private init(_ type: String, _ subtype: String, _ parameters: [(name: String, value: String)]) {
        self.type = type
        self.subtype = subtype
        self.parameters = parameters
    }

    /// The type with this parameter appended, replacing one of the same name.
    /// - Parameter name: in lower case.
    package func setting(_ name: String, to value: String) -> MediaType {
        MediaType(type, subtype, parameters.filter { $0.name != name } + [(name, value)])
    }

    /// `type/subtype` without parameters.
    package var essence: String { "\(type)/\(subtype)" }

    /// The value of a parameter (case-insensitive), or nil.
    package func parameter(_ name: String) -> String? {
        parameters.first { $0.name.equalsIgnoringASCIICase(name) }?.value
    }

    /// Whether the content is JSON: `application/json`, `text/json`, or a subtype that ends with `+json`.
    package var isJSON: Bool {
        subtype == "json" ? type == "application" || type == "text" : subtype.hasSuffix("+json")
    }

    /// Whether this type is covered by `range` (`*/*`, `text/*`, `text/html`); parameters are not compared.
    package func isCovered(by range: MediaType) -> Bool {
        (range.type == "*" && range.subtype == "*")
            || (range.type == type && (range.subtype == "*" || range.subtype == subtype))
    }

    /// The weight of this type for an Accept field, in thousandths: 0 (not acceptable) to 1000. The most specific range
    /// decides, among equally specific ones the highest weight. Malformed parameters and ranges are ignored. A field
    /// without ranges accepts everything.
    package func quality(inAccept accept: String) -> Int {
        var reader = FieldValueReader(accept)
        var best: (specificity: Int, quality: Int)?
        var sawRange = false
        reader.skipToElement()
        while !reader.isAtEnd {
            if let range = Self.takeRange(&reader) {
                sawRange = true
                let specificity = range.type == "*" ? 0 : range.subtype == "*" ? 1 : 2
                let found = (specificity, Self.thousandths(range.parameter("q") ?? "1") ?? 1000)
                if isCovered(by: range), found >= best ?? (0, 0) { best = found }
            }
            reader.skipToElement()
        }
        return best?.quality ?? (sawRange ? 0 : 1000)
    }

    private static func takeRange(_ reader: inout FieldValueReader) -> MediaType? {
        var wordsOnly = reader
        if let range = MediaType(reading: &reader) { return range }
        reader.skipElement()
        guard let type = wordsOnly.takeToken(), wordsOnly.take(0x2F), let subtype = wordsOnly.takeToken()
        else {
            return nil
        }
        return MediaType("\(type)/\(subtype)")
    }

    /// `0.5` as 500; nil when it is not a quality value.
    private static func thousandths(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard let whole = bytes.first, whole == 0x30 || whole == 0x31, bytes.count <= 5 else { return nil }
        guard bytes.count == 1 || bytes[1] == 0x2E else { return nil }
        let digits = bytes.dropFirst(2)
        guard digits.allSatisfy(\.isDigitByte) else { return nil }
        let fraction = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } * [1000, 100, 10, 1][digits.count]
        let value = Int(whole - 0x30) * 1000 + (digits.isEmpty ? 0 : fraction)
        return value <= 1000 ? value : nil
    }

    /// As a field value; parameters that are not tokens are quoted.
    package var description: String {
        parameters.reduce(into: essence) { text, parameter in
            let isToken = !parameter.value.isEmpty && parameter.value.utf8.allSatisfy(\.isTokenByte)
            text += "; \(parameter.name)=" + (isToken ? parameter.value : Self.quoted(parameter.value))
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted: [UInt8] = [0x22]
        for byte in text.utf8 {
            if byte == 0x22 || byte == 0x5C { quoted.append(0x5C) }
            quoted.append(byte)
        }
        quoted.append(0x22)
        return String(decoding: quoted, as: UTF8.self)
    }
}

extension MediaType: Hashable {
    /// Same type and same parameters in the same order.
    package static func == (left: MediaType, right: MediaType) -> Bool {
        left.type == right.type && left.subtype == right.subtype
            && left.parameters.elementsEqual(right.parameters) {
                $0.name == $1.name && $0.value.utf8.elementsEqual($1.value.utf8)
            }
    }

    /// Hashes type and subtype.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(subtype)
    }
}
