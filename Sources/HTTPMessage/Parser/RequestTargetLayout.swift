/// Validates request targets and finds the positions of their parts, relative to the target's start.
struct RequestTargetLayout {
    var form: RequestTarget.Form
    var authorityStart: Int
    var pathStart: Int
    var pathEnd: Int

    /// The flaw of a target, as a phrase that follows "the request target".
    struct Flaw: Error {
        var text: String
    }

    /// Reads the bytes from `start` to `end` as origin form, absolute form or `*`.
    static func read(
        _ bytes: Span<UInt8>, from start: Int, to end: Int
    ) throws(Flaw) -> RequestTargetLayout {
        guard start < end else { throw Flaw(text: "is empty") }
        var layout = RequestTargetLayout(form: .origin, authorityStart: 0, pathStart: 0, pathEnd: end - start)
        if bytes[start] != 0x2F {
            if bytes[start] == 0x2A, end - start == 1 {
                layout.form = .asterisk
                layout.pathStart = 1
                return layout
            }
            try layout.takeAuthority(bytes, from: start, to: end)
        }
        try layout.takePathAndQuery(bytes, from: start, to: end)
        return layout
    }

    /// Reads `http://host:port` of the absolute form.
    private mutating func takeAuthority(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(Flaw) {
        form = .absolute
        if end - start >= 7, bytes.spells("http://", from: start, to: start + 7) {
            authorityStart = 7
        } else if end - start >= 8, bytes.spells("https://", from: start, to: start + 8) {
            authorityStart = 8
        } else {
            throw Flaw(text: "is neither a path that starts with / nor an http or https URL")
        }
        var index = start + authorityStart
        while index < end, bytes[index] != 0x2F, bytes[index] != 0x3F { index += 1 }
        pathStart = index - start
        guard HostText.isValid(bytes, from: start + authorityStart, to: index) else {
            throw Flaw(text: "has no valid host")
        }
    }

    /// Checks every byte of path and query and finds the `?`.
    private mutating func takePathAndQuery(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(Flaw) {
        var index = start + pathStart
        var isEncoded = false
        var hasDotAfterSlash = false
        var previous: UInt8 = 0
        while index < end {
            let byte = bytes[index]
            if byte == 0x3F { break }
            guard byte.isTargetByte else { throw badByte(byte) }
            if byte == 0x25 { isEncoded = true }
            if byte == 0x2E, previous == 0x2F { hasDotAfterSlash = true }
            previous = byte
            index += 1
        }
        pathEnd = index - start
        if isEncoded || hasDotAfterSlash { try checkSegments(bytes, from: start + pathStart, to: index) }
        isEncoded = false
        let queryStart = index
        while index < end {
            guard bytes[index].isTargetByte else { throw badByte(bytes[index]) }
            if bytes[index] == 0x25 { isEncoded = true }
            index += 1
        }
        if isEncoded { try checkEncoding(bytes, from: queryStart, to: end) }
    }

    private func badByte(_ byte: UInt8) -> Flaw {
        switch byte {
        case 0x23: Flaw(text: "has a fragment (#); fragments are not sent")
        case 0x80...: Flaw(text: "has bytes outside ASCII; percent-encode them")
        case 0...0x20, 0x7F: Flaw(text: "has a blank or control byte; percent-encode it")
        default: Flaw(text: "has a byte that must be percent-encoded (one of \" < > \\)")
        }
    }

    private func checkEncoding(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(Flaw) {
        switch PercentCoding.check(bytes, from: start, to: end) {
        case .fine: break
        case .badEscape: throw Flaw(text: "has a % that is not followed by two hexadecimal digits")
        case .encodedNUL: throw Flaw(text: "has an encoded NUL (%00)")
        case .notUTF8: throw Flaw(text: "has percent-encoded bytes that are not UTF-8")
        }
    }

    /// Refuses `.` and `..` as segments, however they are encoded.
    private func checkSegments(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(Flaw) {
        try checkEncoding(bytes, from: start, to: end)
        var dots = 0
        var others = 0
        var index = start
        while index <= end {
            if index == end || bytes[index] == 0x2F {
                if others == 0, dots == 1 || dots == 2 { throw Flaw(text: "has a . or .. segment") }
                dots = 0
                others = 0
            } else if bytes[index] == 0x2E {
                dots += 1
            } else if end - index >= 3, bytes.spells("%2e", from: index, to: index + 3) {
                dots += 1
                index += 2
            } else {
                others += 1
            }
            index += 1
        }
    }
}
