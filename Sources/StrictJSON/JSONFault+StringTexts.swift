/// The messages about strings and numbers.
extension JSONFault {
    // MARK: strings

    static func openString(_ bytes: Span<UInt8>, openedAt start: Int) -> JSONFault {
        let place = TextPlace(of: start, in: bytes)
        return JSONFault(
            .syntax, at: bytes.count,
            "The document ends inside the string that starts in line \(place.line), column \(place.column). "
                + "Close it with a double quote.")
    }

    static func openEscape(at offset: Int) -> JSONFault {
        JSONFault(.escape, at: offset, "The document ends after a backslash inside a string.")
    }

    static func controlCharacter(_ byte: UInt8, at offset: Int) -> JSONFault {
        let (name, spelling) =
            switch byte {
            case 0x0A: ("line feed", "\\n")
            case 0x0D: ("carriage return", "\\r")
            case 0x09: ("tab", "\\t")
            case 0x08: ("backspace", "\\b")
            case 0x0C: ("form feed", "\\f")
            default: ("control character", "\\u00" + hex(UInt32(byte), digits: 2))
            }
        let hint = byte == 0x0A || byte == 0x0D ? ", or close the string in its own line" : ""
        return JSONFault(
            .escape, at: offset, "A \(name) must be escaped inside a string. Write \(spelling)\(hint).")
    }

    static func unknownEscape(_ bytes: Span<UInt8>, at offset: Int) -> JSONFault {
        JSONFault(
            .escape, at: offset,
            "A backslash is followed by \(found(bytes, at: offset + 1)), which is no escape. "
                + "Use \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u with four hexadecimal digits; "
                + "write \\\\ for a backslash itself.")
    }

    static func shortUnicodeEscape(at offset: Int) -> JSONFault {
        JSONFault(.escape, at: offset, "\\u must be followed by four hexadecimal digits, as in \\u00e9.")
    }

    static func loneSurrogate(at offset: Int, isHigh: Bool) -> JSONFault {
        let part =
            isHigh
            ? "first half of a surrogate pair without its second" : "second half of a surrogate pair alone"
        return JSONFault(
            .escape, at: offset,
            "This escape is the \(part), which is no character. "
                + "Write both halves, as in \\ud83d\\ude00, or the character itself.")
    }

    static func notUTF8(_ error: UTF8.ValidationError, from start: Int) -> JSONFault {
        let problem =
            switch error.kind {
            case .overlongEncodingByte: "an overlong form of a character"
            case .surrogateCodePointByte: "a surrogate, which is no character"
            case .truncatedScalar: "a character that is cut off"
            default: "a byte that cannot stand here"
            }
        return JSONFault(
            .utf8, at: start + error.byteOffsets.lowerBound,
            "The text is not UTF-8: there is \(problem). Send the document encoded as UTF-8.")
    }

    // MARK: numbers

    static func leadingZero(at offset: Int) -> JSONFault {
        JSONFault(
            .number, at: offset, "A number may not start with a zero before other digits. Remove the zero.")
    }

    static func noDigits(_ bytes: Span<UInt8>, at offset: Int, after part: String) -> JSONFault {
        JSONFault(
            .number, at: offset,
            "A digit was expected after \(part) of a number, but there is \(found(bytes, at: offset)). "
                + "Write numbers as 12, -0.5 or 6.02e23.")
    }

    static func oddNumber(_ bytes: Span<UInt8>, at offset: Int) -> JSONFault {
        JSONFault(
            .number, at: offset,
            "A number continues with \(found(bytes, at: offset)). "
                + "Write numbers in decimal as 12, -0.5 or 6.02e23, and anything else as a string.")
    }

    static func longNumber(at offset: Int, count: Int, limit: Int) -> JSONFault {
        JSONFault(
            .number, at: offset,
            "A number has \(count) characters, and at most \(limit) are allowed. Send it as a string.")
    }
}
