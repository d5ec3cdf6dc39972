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

    /// A part with its attributes.
    mutating func readPart(_ value: ShellWord, _ flag: String) {
        guard let (name, bytes) = split(value, flag) else { return }
        if let first = bytes.first, first == UInt8(ascii: "@") || first == UInt8(ascii: "<") {
            return refuse(
                value,
                "\(flag) \(value.shown) names a file. The server reads no files of yours; "
                    + "write the content itself: \(flag) 'name=content;filename=a.txt;type=text/plain'.")
        }
        if bytes.first == UInt8(ascii: "(") || name.isEmpty && bytes.elementsEqual(")".utf8) {
            return refuse(
                value,
                "\(flag) 'name=(…' makes nested parts, which are not supported. Content that begins with \"(\" goes "
                    + "into double quotes: \(flag) 'name=\"(…\"'.")
        }
        if name.isEmpty { return refuse(value, "A part of a form has a name: \(flag) 'name=content'.") }
        let reader = CurlPartReader(bytes)
        if reader.hasBadType {
            return refuse(value, CurlPartReader.badType(flag))
        }
        for (attribute, _) in reader.others {
            refuse(value, "\(flag) knows type and filename, not \"\(attribute)\".")
        }
        if let omitted = reader.omitted {
            let shown = ShellWord(bytes: omitted, place: value.place).shown
            remark(
                value,
                "\"\(shown)\" in \(flag) has no effect: curl leaves out what is behind a \";\" or a quote and no "
                    + "attribute. Put the whole content into double quotes: \(flag) 'name=\"a;b\"'.")
        }
        var part = CurlPart(name: name, bytes: reader.content)
        if let filename = reader.filename {
            part.filename = text(of: filename[...], in: value, "The filename in \(flag)")
            part.contentType = CurlPart.mediaType(of: filename) ?? ""
        }
        if let type = reader.type {
            part.contentType = text(of: type[...], in: value, "The type in \(flag)")
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
