internal import JobKit
internal import StrictJSON

/// Parts of forms: `-F 'name=content;type=…;filename=…'`.
extension CurlCommand {
    /// `name=content` without further attributes.
    mutating func readPlainPart(_ value: ShellWord, _ flag: String) {
        guard let (name, bytes) = split(value, flag) else { return }
        add(CurlPart(name: name, bytes: Array(bytes)), value)
    }

    private mutating func add(_ part: CurlPart, _ value: ShellWord) {
        let most = SpecLimits.standard.partsMax
        if content.parts.count == most { refuse(value, "The form has more than \(most) parts.") }
        if content.parts.count <= most { content.parts.append(part) }
    }

    /// A part with its attributes. Content in double quotes may have `;` in it.
    mutating func readPart(_ value: ShellWord, _ flag: String) {
        guard let (name, bytes) = split(value, flag) else { return }
        if let first = bytes.first, first == UInt8(ascii: "@") || first == UInt8(ascii: "<") {
            return refuse(
                value,
                "\(flag) \(value.shown) names a file. The server reads no files of yours; "
                    + "write the content itself: \(flag) 'name=content;filename=a.txt;type=text/plain'.")
        }
        if bytes.first == UInt8(ascii: "("), bytes.count == 1 || name.isEmpty {
            return refuse(value, "\(flag) '=(…' makes nested parts, which are not supported.")
        }
        var reader = PartReader(bytes)
        var part = CurlPart(name: name, bytes: reader.content())
        while let (attribute, bytes) = reader.attribute() {
            switch attribute {
            case "type": part.contentType = text(of: bytes, in: value, "The type in \(flag)")
            case "filename": part.filename = text(of: bytes, in: value, "The filename in \(flag)")
            default:
                refuse(value, "\(flag) knows type and filename, not \"\(String(quotable: attribute))\".")
            }
        }
        add(part, value)
    }

    private mutating func split(_ value: ShellWord, _ flag: String) -> (String, ArraySlice<UInt8>)? {
        guard let equals = value.bytes.firstIndex(of: 0x3D) else {
            refuse(value, "\(flag) needs name=content.")
            return nil
        }
        guard let name = text(of: value.bytes[..<equals], in: value, "The name in \(flag)") else {
            return nil
        }
        return (name, value.bytes[(equals + 1)...])
    }
}

/// Reads the words of a part as curl does: up to `;`, or in double quotes with `\"` and `\\`.
private struct PartReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    private var peek: UInt8? { index < bytes.endIndex ? bytes[index] : nil }

    /// The content, before the first attribute.
    mutating func content() -> [UInt8] { word(endsAtAttribute: true) }

    /// The next `;name=value`.
    mutating func attribute() -> (String, ArraySlice<UInt8>)? {
        guard peek == 0x3B else { return nil }
        index += 1
        skipBlanks()
        let begin = index
        while let byte = peek, byte != 0x3D, byte != 0x3B { index += 1 }
        let name = String(decoding: bytes[begin..<index], as: UTF8.self).lowercased()
        guard peek == 0x3D else { return (name, []) }
        index += 1
        return (name, word(endsAtAttribute: name.utf8.elementsEqual("type".utf8))[...])
    }

    /// - Parameter endsAtAttribute: whether only a `;` before a known attribute ends the word, as in the content and in
    ///   a media type, which may have parameters.
    private mutating func word(endsAtAttribute: Bool) -> [UInt8] {
        let begin = index
        skipBlanks()
        if peek == 0x22, let quoted = quoted() { return quoted }
        index = begin
        while let byte = peek {
            if byte == 0x3B, !endsAtAttribute || isAttribute(at: index + 1) { break }
            index += 1
        }
        return Array(bytes[begin..<index])
    }

    private mutating func quoted() -> [UInt8]? {
        let begin = index
        index += 1
        var found: [UInt8] = []
        while let byte = peek {
            index += 1
            if byte == 0x22 {
                skipBlanks()
                if peek == nil || peek == 0x3B { return found }
                break
            }
            if byte == 0x5C, let next = peek, next == 0x22 || next == 0x5C {
                found.append(next)
                index += 1
            } else {
                found.append(byte)
            }
        }
        index = begin
        return nil
    }

    private mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || byte == 0x09 { index += 1 }
    }

    private func isAttribute(at start: Int) -> Bool {
        let rest = bytes[min(start, bytes.endIndex)...].drop { $0 == 0x20 || $0 == 0x09 }
        return ["type=", "filename=", "headers=", "encoder="].contains { rest.starts(with: $0.utf8) }
    }
}
