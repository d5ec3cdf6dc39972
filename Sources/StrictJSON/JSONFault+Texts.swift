/// The messages. Each names what was found, what was expected and what to do.
extension JSONFault {
    // MARK: the document

    static func tooManyBytes(_ count: Int, limit: Int) -> JSONFault {
        JSONFault(
            .size, at: limit, "The document has \(count) bytes, and at most \(limit) are allowed. Send less.")
    }

    /// A fault when the first bytes show another encoding or a byte order mark.
    static func foreignEncoding(_ bytes: Span<UInt8>) -> JSONFault? {
        guard bytes.count >= 2 else { return nil }
        let (first, second) = (bytes[0], bytes[1])
        if first == 0xEF && second == 0xBB && bytes.count >= 3 && bytes[2] == 0xBF {
            return JSONFault(
                .syntax, at: 0, "The document starts with a byte order mark. Send UTF-8 without one.")
        }
        let isUTF16 = first == 0xFE && second == 0xFF || first == 0xFF && second == 0xFE
        guard isUTF16 || first == 0 || second == 0 else { return nil }
        return JSONFault(.utf8, at: 0, "The document seems to be UTF-16 or UTF-32. Send it as UTF-8.")
    }

    static func trailingBytes(_ bytes: Span<UInt8>, at offset: Int) -> JSONFault {
        JSONFault(
            .syntax, at: offset,
            "After the end of the JSON value there is \(found(bytes, at: offset)). "
                + (commentRemedy(bytes, at: offset) ?? "Send exactly one value and nothing after it."))
    }

    static func tooDeep(at offset: Int, limit: Int) -> JSONFault {
        JSONFault(
            .depth, at: offset,
            "Objects and arrays are nested more than \(limit) deep. Make the document flatter.")
    }

    static func tooManyMembers(at offset: Int, limit: Int) -> JSONFault {
        JSONFault(
            .members, at: offset,
            "The document has more than \(limit) members and elements. Split it into several documents.")
    }

    // MARK: values and structure

    static func noValue(_ bytes: Span<UInt8>, at offset: Int) -> JSONFault {
        guard offset < bytes.count else {
            let text =
                offset == 0
                ? "The document is empty; a JSON value was expected."
                : "The document ends where a value was expected. Was it cut off?"
            return JSONFault(.syntax, at: offset, text)
        }
        let code: JSONParseError.Code =
            if bytes[offset] >= 0x80 && scalar(bytes, at: offset) == nil {
                .utf8
            } else {
                looksLikeNumber(bytes, at: offset) ? .number : .syntax
            }
        return JSONFault(
            code, at: offset,
            "A value was expected here, but there is \(found(bytes, at: offset)). "
                + (valueRemedy(bytes, at: offset)
                    ?? "Values start with \" { [ a digit, or are true, false or null."))
    }

    private static func looksLikeNumber(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        let word = word(bytes, at: offset)
        return bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: ".") || word == "NaN"
            || word == "Infinity"
    }

    static func noName(_ bytes: Span<UInt8>, at offset: Int, openedAt start: Int) -> JSONFault {
        guard offset < bytes.count else { return notClosed(bytes, openedAt: start, isObject: true) }
        return JSONFault(
            .syntax, at: offset,
            "A member name in double quotes was expected here, but there is \(found(bytes, at: offset)). "
                + (commentRemedy(bytes, at: offset) ?? "Write members as \"name\": value."))
    }

    static func noColon(_ bytes: Span<UInt8>, at offset: Int) -> JSONFault {
        JSONFault(
            .syntax, at: offset,
            "A colon was expected after the member name, but there is \(found(bytes, at: offset)). "
                + (commentRemedy(bytes, at: offset) ?? "Write members as \"name\": value."))
    }

    static func duplicate(_ name: String, at offset: Int) -> JSONFault {
        JSONFault(
            .duplicateMember, at: offset,
            "The member \(quoted(name)) is already in this object. Keep one of the two."
        ).inside(name)
    }

    static func trailingComma(_ bytes: Span<UInt8>, before offset: Int, _ closing: String) -> JSONFault {
        JSONFault(.syntax, at: offset, "A trailing comma precedes the closing \(closing). Remove the comma.")
    }

    static func notSeparated(
        _ bytes: Span<UInt8>, at offset: Int, openedAt start: Int, isObject: Bool
    ) -> JSONFault {
        guard offset < bytes.count else { return notClosed(bytes, openedAt: start, isObject: isObject) }
        let (item, closing) = isObject ? ("member", "}") : ("element", "]")
        return JSONFault(
            .syntax, at: offset,
            "A comma or \(closing) was expected after this \(item), "
                + "but there is \(found(bytes, at: offset)). "
                + (commentRemedy(bytes, at: offset) ?? "Put a comma between two \(item)s."))
    }

    private static func notClosed(_ bytes: Span<UInt8>, openedAt start: Int, isObject: Bool) -> JSONFault {
        let place = TextPlace(of: start, in: bytes)
        let (kind, closing) = isObject ? ("object", "}") : ("array", "]")
        return JSONFault(
            .syntax, at: bytes.count,
            "The document ends inside the \(kind) that starts in line \(place.line), column \(place.column). "
                + "Close it with \(closing), or check whether the document was cut off.")
    }
}
