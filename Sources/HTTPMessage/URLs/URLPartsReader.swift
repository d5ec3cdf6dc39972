struct URLPartsReader {
    private let bytes: [UInt8]
    private var position = 0
    private(set) var isHTTPS = false
    private(set) var host = ""
    private(set) var address: IPAddress?
    private(set) var port: Int?
    private(set) var path = ""
    private(set) var query: String?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func read() throws(URLPartsError) {
        guard !bytes.isEmpty else {
            throw error(.empty, "The URL is empty.", "Write an absolute URL, such as https://example.com/.")
        }
        guard bytes.count <= URLParts.bytesMax else {
            throw error(
                .tooLong, "The URL is longer than \(URLParts.bytesMax) bytes.", "Send the data in the body.")
        }
        try checkCharacters()
        try takeScheme()
        try takeAuthority()
        try takePathAndQuery()
    }

    private func checkCharacters() throws(URLPartsError) {
        for (index, byte) in bytes.enumerated() where byte <= 0x20 || byte >= 0x7F || byte == 0x5C {
            if byte >= 0x80 {
                throw error(
                    .character, "The URL holds a character outside ASCII.",
                    "Percent-encode it as UTF-8; write a host name in its xn-- form.", at: index)
            }
            throw byte == 0x5C
                ? error(.character, "The URL holds a backslash.", "Write / or %5C.", at: index)
                : error(.character, "The URL holds a blank or control byte.", "Percent-encode it.", at: index)
        }
    }

    private mutating func takeScheme() throws(URLPartsError) {
        for (scheme, isSecure) in [("http://", false), ("https://", true)] {
            let length = scheme.utf8.count
            if bytes.count >= length, bytes.span.spells(scheme, from: 0, to: length) {
                isHTTPS = isSecure
                position = length
                return
            }
        }
        throw error(
            .scheme, "The URL starts with neither http:// nor https://.",
            "Write an absolute URL, such as https://example.com/.")
    }

    private mutating func takeAuthority() throws(URLPartsError) {
        let end = bytes[position...].firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? bytes.count
        if let at = bytes[position..<end].firstIndex(of: 0x40) {
            throw error(
                .userInformation, "The URL holds a user name or password.",
                "Leave it out and give the credentials as auth or as an Authorization header.", at: at)
        }
        let isBracketed = position < end && bytes[position] == 0x5B
        let hostEnd: Int
        if isBracketed {
            guard let close = bytes[position..<end].firstIndex(of: 0x5D) else {
                throw hostError("The IPv6 address has no closing bracket.")
            }
            hostEnd = close + 1
        } else {
            hostEnd = bytes[position..<end].firstIndex(of: 0x3A) ?? end
        }
        try takeHost(to: hostEnd, isBracketed: isBracketed)
        try takePort(from: hostEnd, to: end)
        position = end
    }

    private mutating func takeHost(to end: Int, isBracketed: Bool) throws(URLPartsError) {
        let raw = bytes[position..<end]
        if isBracketed {
            guard let found = IPAddress(text(raw.dropFirst().dropLast())), !found.isIPv4 else {
                throw hostError("The brackets do not hold an IPv6 address.")
            }
            address = found
            host = found.description
            return
        }
        host = text(raw).asciiLowercased
        address = IPAddress(host)
        guard address == nil else { return }
        guard !raw.isEmpty else { throw hostError("The URL has no host.") }
        if let bad = raw.firstIndex(where: {
            !$0.isLetterByte && !$0.isDigitByte && ![0x2D, 0x2E, 0x5F].contains($0)
        }) {
            throw hostError("The host name holds a character that is not allowed there.", at: bad)
        }
        try checkName(raw)
    }

    private func checkName(_ raw: ArraySlice<UInt8>) throws(URLPartsError) {
        let name = raw.last == 0x2E ? raw.dropLast() : raw
        let labels = name.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard name.count <= 253, labels.allSatisfy({ (1...63).contains($0.count) }) else {
            throw hostError("The host name has an empty or overlong part.")
        }
        let last = Array(labels.last ?? [])
        let isHexadecimal =
            last.count >= 2 && last[0] == 0x30 && last[1] | 0x20 == 0x78
            && last.dropFirst(2).allSatisfy { $0.hexDigitValue != nil }
        guard !last.allSatisfy(\.isDigitByte), !isHexadecimal else {
            throw error(
                .host, "The host ends in a number but is not an IPv4 address.",
                "Write an address as four decimal numbers without leading zeros: 192.0.2.1.")
        }
    }

    private mutating func takePort(from start: Int, to end: Int) throws(URLPartsError) {
        guard start < end else { return }
        guard bytes[start] == 0x3A, HostText.isPort(bytes.span, from: start + 1, to: end) else {
            throw error(
                .port, "The host is followed by something that is not a port.",
                "Write a port between 1 and 65535, or leave the colon out.", at: start)
        }
        port = bytes[(start + 1)..<end].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private mutating func takePathAndQuery() throws(URLPartsError) {
        for index in position..<bytes.count {
            if bytes[index] == 0x23 {
                throw error(
                    .fragment, "The URL has a fragment, which is never sent.",
                    "Leave out # and what follows, or write %23.", at: index)
            }
            if bytes[index] == 0x25 {
                guard bytes.count - index >= 3, bytes[index + 1].hexDigitValue != nil,
                    bytes[index + 2].hexDigitValue != nil
                else {
                    throw error(
                        .escape, "A % is not followed by two hexadecimal digits.",
                        "Write %25 for a percent sign.",
                        at: index)
                }
            }
            guard bytes[index].isTargetByte else {
                throw error(
                    .character, "The URL holds a character that must be encoded (one of \" < >).",
                    "Percent-encode it.", at: index)
            }
        }
        let rest = bytes[position...]
        let queryMark = rest.firstIndex(of: 0x3F)
        path = text(rest[..<(queryMark ?? rest.endIndex)])
        query = queryMark.map { text(rest[($0 + 1)...]) }
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    private func hostError(_ detail: String, at offset: Int? = nil) -> URLPartsError {
        error(
            .host, detail, "Write a host name, an IPv4 address, or an IPv6 address in brackets.", at: offset)
    }

    private func error(
        _ code: URLPartsError.Code, _ detail: String, _ suggestion: String, at offset: Int? = nil
    ) -> URLPartsError {
        URLPartsError(code: code, detail: detail, suggestion: suggestion, offset: offset ?? position)
    }
}
