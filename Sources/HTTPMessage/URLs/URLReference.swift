/// Resolution of URL references (RFC 3986 §5), and the normal form in which URLs are shown, signed and sent.
package enum URLReference {
    /// Resolves a reference in a response (`Location`, `Operation-Location`) against the called URL: without fragment
    /// and dot segments. Blanks, quotation marks, angle brackets and non-ASCII characters, which are invalid in a URL
    /// but common in responses, are percent-encoded as browsers do.
    /// - Throws: the reason why the result cannot be called.
    package static func resolve(
        _ reference: String, against base: String
    ) throws(URLPartsError) -> String {
        let base = try URLParts(base)
        let text = encoded(reference)
        let target = try URLParts(absolute(text, base) { $0 })
        let url = target.origin + withoutDots(target.path) + (target.query.map { "?\($0)" } ?? "")
        _ = try URLParts(url)
        return url
    }

    /// Resolves a user-written URL relative to a base. Only a path without a leading slash is resolved, so that `../x`
    /// leads up; everything else is taken verbatim.
    /// - Throws: the reason why the result cannot be called.
    package static func complete(
        _ written: String, from base: String
    ) throws(URLPartsError) -> String {
        let base = try URLParts(base)
        guard !written.isEmpty else { return try URLParts(written).text }
        return try URLParts(absolute(written, base, withoutDots)).text
    }

    /// Normalizes `url`: scheme and host in lower case, without the scheme's default port, and with a path, as libcurl
    /// and the Host field have it. A text that is not a URL is returned unchanged.
    package static func normalized(_ url: String) -> String {
        guard !isNormal(url), let parts = try? URLParts(url) else { return url }
        return parts.origin + parts.path + (parts.query.map { "?\($0)" } ?? "")
    }

    /// Removes the dot segments of a path (RFC 3986 §5.2.4). Text that does not begin with a slash is returned
    /// unchanged.
    package static func withoutDots(_ path: String) -> String {
        guard path.utf8.first == 0x2F, path.utf8.contains(0x2E) else { return path }
        let segments = path.utf8.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
        var kept: [Substring.UTF8View] = []
        for (index, segment) in segments.enumerated() {
            let isParent = segment.elementsEqual("..".utf8)
            guard isParent || segment.elementsEqual(".".utf8) else {
                kept.append(segment)
                continue
            }
            if isParent { _ = kept.popLast() }
            if index == segments.count - 1 { kept.append(segment.prefix(0)) }
        }
        var bytes: [UInt8] = kept.isEmpty ? [0x2F] : []
        for segment in kept {
            bytes.append(0x2F)
            bytes += segment
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a program that normalizes paths would call a different one.
    package static func hasDots(path: String) -> Bool {
        path.split(separator: "/").contains { DotSegment.isOne(Array($0.utf8)[...]) }
    }

    /// - Parameter relative: resolves a path relative to that of the base.
    private static func absolute(_ text: String, _ base: URLParts, _ relative: (String) -> String) -> String {
        if hasScheme(text) { return text }
        if text.hasPrefix("//") { return "\(base.scheme):\(text)" }
        if text.hasPrefix("/") { return base.origin + text }
        let query = base.query.map { "?\($0)" } ?? ""
        if text.isEmpty { return base.origin + base.path + query }
        if text.hasPrefix("?") { return base.origin + base.path + text }
        let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
        let directory = base.path[...(base.path.lastIndex(of: "/") ?? base.path.startIndex)]
        return base.origin + relative(String(directory + text[..<end])) + String(text[end...])
    }

    /// Whether a reference begins with a scheme and its colon, so that no base completes it.
    package static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: 0x3A), text.utf8.first?.isLetterByte == true else {
            return false
        }
        return text.utf8[..<colon].allSatisfy {
            $0.isLetterByte || $0.isDigitByte || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
        }
    }

    /// The encoded reference, without blanks around it and without its fragment.
    private static func encoded(_ reference: String) -> String {
        var bytes = Array(reference.utf8)[...]
        while bytes.first == 0x20 || bytes.first == 0x09 { bytes.removeFirst() }
        while bytes.last == 0x20 || bytes.last == 0x09 { bytes.removeLast() }
        // Afterwards, so that a blank before the fragment stays a part of the URL, as browsers have it.
        bytes = bytes.prefix { $0 != 0x23 }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte >= 0x80 || [0x20, 0x22, 0x3C, 0x3E].contains(byte) {
                PercentCoding.append([byte].span, for: .anywhere, to: &output)
            } else {
                output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func isPlainHostByte(_ byte: UInt8) -> Bool {
        byte &- 0x61 < 26 || byte.isDigitByte || byte == 0x2D || byte == 0x2E || byte == 0x5F
    }

    /// Whether the URL is in normal form already. Most are; the others take the slow path.
    private static func isNormal(_ url: String) -> Bool {
        let bytes = url.utf8.span
        var place = 0
        func skip(_ byte: UInt8) -> Bool {
            guard place < bytes.count, bytes[place] == byte else { return false }
            place += 1
            return true
        }
        // "http", an "s" that may be missing, "://"
        guard skip(0x68), skip(0x74), skip(0x74), skip(0x70) else { return false }
        _ = skip(0x73)
        guard skip(0x3A), skip(0x2F), skip(0x2F) else { return false }
        while place < bytes.count, isPlainHostByte(bytes[place]) { place += 1 }
        if skip(0x3A) {
            var port = 0
            guard place < bytes.count, bytes[place] != 0x30 else { return false }
            while place < bytes.count, bytes[place].isDigitByte, port < 65_536 {
                port = port * 10 + Int(bytes[place] - 0x30)
                place += 1
            }
            guard port != 80, port != 443 else { return false }
        }
        return place < bytes.count && bytes[place] == 0x2F
    }
}
