package import StrictJSON

/// A document of a YAML text as a value of JSON, with the line of each part.
package struct YAMLDocument: Sendable {
    package let value: JSONValue
    private let lines: PointerLines

    init(_ value: JSONValue, lines: PointerLines) {
        self.value = value
        self.lines = lines
    }

    /// The line, from 1, of the value at a JSON Pointer, or of the nearest enclosing value.
    package func line(of pointer: String) -> Int { lines.line(of: pointer) }

    /// The limits of a text.
    package struct Limits: Sendable {
        /// The size of the text, and of all its values when aliases are written out.
        package var bytesMax: Int
        package var depthMax = 64
        /// The number of values and names.
        package var valuesMax = 200_000

        package init(bytesMax: Int) { self.bytesMax = bytesMax }
    }

    /// Reads all documents of a text, in the core schema of YAML 1.2. Empty ones are left out.
    /// - Throws: for the first fault: of the form, a repeated name, a merge key, a tag, an alias to nothing, or a text
    ///   that grows beyond its limits by its aliases.
    package static func all(in bytes: [UInt8], limits: Limits) throws(YAMLFault) -> [YAMLDocument] {
        guard bytes.count <= limits.bytesMax else {
            throw YAMLFault(1, "It has more than \(limits.bytesMax) bytes.")
        }
        if let line = foldedLine(bytes) {
            throw YAMLFault(
                line,
                "A line separator of Unicode is a line end for some readers of YAML: write it as \\u2028, \\u2029 or \\N "
                    + "between double quotation marks.")
        }
        let events = try YAMLEvents.read(bytes, limits)
        var composer = YAMLComposer(events, limits)
        return try composer.documents()
    }

    /// The line of the first U+0085, U+2028 or U+2029, which YAML 1.1 takes for a line end and YAML 1.2 for text.
    private static func foldedLine(_ bytes: [UInt8]) -> Int? {
        var line = 1
        for index in bytes.indices {
            if bytes[index] == 0x0A { line += 1 }
            guard bytes[index] == 0xC2 || bytes[index] == 0xE2 else { continue }
            let next = bytes[index...].prefix(3)
            if next.starts(with: [0xC2, 0x85]) || next.elementsEqual([0xE2, 0x80, 0xA8])
                || next.elementsEqual([0xE2, 0x80, 0xA9])
            {
                return line
            }
        }
        return nil
    }
}

/// The first reason why a text is refused, with its line.
package struct YAMLFault: Error, Sendable, Hashable {
    /// The number of the line, from 1.
    package let line: Int
    /// The reason and the remedy, for people.
    package let detail: String

    init(_ line: Int, _ detail: String) {
        self.line = line
        self.detail = detail
    }
}
