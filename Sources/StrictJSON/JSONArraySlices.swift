/// The elements of a JSON array as slices of its text, each of which is then read separately.
///
/// Only brackets, strings and commas are examined, so that an invalid element is found by its reader, and the others
/// stay readable.
package enum JSONArraySlices {
    /// The reason why a text is not an array of slices.
    package struct Failure: Error, Sendable, Hashable {
        /// The reason, as a sentence.
        package var detail: String
        /// The line, from 1.
        package var line: Int
        /// The column, from 1, in Unicode scalars.
        package var column: Int
        /// Whether the only fault is the number of elements.
        package var isTooLong = false

        init(_ detail: String, at offset: Int, in bytes: [UInt8], isTooLong: Bool = false) {
            let place = TextPlace(of: offset, in: bytes.span)
            self.detail = detail
            self.isTooLong = isTooLong
            line = place.line
            column = place.column
        }
    }

    /// The slices between the commas of the outermost array, without white space around them.
    /// - Parameter countMax: the maximum number of elements.
    /// - Throws: when the text is not an array, does not end with it, has an empty element, or has too many elements.
    package static func split(_ bytes: [UInt8], countMax: Int) throws(Failure) -> [ArraySlice<UInt8>] {
        var index = skipSpace(bytes, from: 0)
        guard index < bytes.count, bytes[index] == 0x5B else {
            throw Failure("An array is expected: it begins with \"[\".", at: index, in: bytes)
        }
        index = skipSpace(bytes, from: index + 1)
        var pieces: [ArraySlice<UInt8>] = []
        if index < bytes.count, bytes[index] == 0x5D { return try end(bytes, after: index, pieces) }
        while true {
            guard pieces.count < countMax else {
                throw Failure(
                    "There are more than \(countMax) elements.", at: index, in: bytes, isTooLong: true)
            }
            let stop = try endOfElement(bytes, from: index)
            // Elements are often of one size.
            if pieces.isEmpty { pieces.reserveCapacity(min(countMax, bytes.count / (stop + 1 - index) + 1)) }
            pieces.append(trimmed(bytes[index..<stop]))
            if pieces.last?.isEmpty == true {
                throw Failure("Element \(pieces.count - 1) is missing.", at: index, in: bytes)
            }
            if bytes[stop] == 0x5D { return try end(bytes, after: stop, pieces) }
            index = skipSpace(bytes, from: stop + 1)
        }
    }

    /// The position of the comma or bracket that ends the element.
    private static func endOfElement(_ bytes: [UInt8], from start: Int) throws(Failure) -> Int {
        let text = bytes.span
        var depth = 0
        var index = start
        while index < text.count {
            switch text[index] {
            case 0x22:
                let opening = index
                index = text.endOfString(openedAt: opening)
                guard index < text.count else {
                    throw Failure(
                        "A string does not end: a quotation mark is missing.", at: opening, in: bytes)
                }
            case 0x5B, 0x7B: depth += 1
            case 0x5D where depth == 0, 0x2C where depth == 0: return index
            case 0x5D, 0x7D: depth = max(0, depth - 1)
            default: break
            }
            index += 1
        }
        throw Failure("The array does not end: a \"]\" is missing.", at: bytes.count, in: bytes)
    }

    private static func end(
        _ bytes: [UInt8], after bracket: Int, _ pieces: [ArraySlice<UInt8>]
    ) throws(Failure) -> [ArraySlice<UInt8>] {
        let rest = skipSpace(bytes, from: bracket + 1)
        guard rest == bytes.count else {
            throw Failure("There is text after the end of the array.", at: rest, in: bytes)
        }
        return pieces
    }

    private static func skipSpace(_ bytes: [UInt8], from start: Int) -> Int {
        var index = start
        while index < bytes.count, isSpace(bytes[index]) { index += 1 }
        return index
    }

    private static func trimmed(_ piece: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var piece = piece
        while let last = piece.last, isSpace(last) { piece.removeLast() }
        return piece
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
