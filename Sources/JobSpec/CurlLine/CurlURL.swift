internal import HTTPMessage

/// The bytes of a URL on a curl command line, as curl changes them.
enum CurlURL {
    /// The URL with the scheme that curl assumes when it is missing: by the name of the host, otherwise `http`.
    static func withScheme(_ url: [UInt8]) -> [UInt8] {
        guard hostPosition(in: url) == 0 else { return url }
        let host = url.prefix(5).map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        let scheme = schemes.first { host.starts(with: "\($0).".utf8) }
        return Array("\(scheme ?? "http")://".utf8) + url
    }

    private static let schemes = ["ftp", "dict", "ldap", "imap", "smtp", "pop3"]

    /// The name of an artifact that is most like the name of a file: without what artifacts do not have in theirs; nil
    /// when nothing is left.
    static func artifactName(_ file: [UInt8]) -> String? {
        var name: [UInt8] = []
        for byte in file.drop(while: { $0 == 0x2E }) {
            if TargetReader.isArtifactByte(byte) {
                name.append(byte)
            } else if name.last != 0x5F {
                name.append(0x5F)
            }
        }
        // The end has the suffix.
        let kept = name.suffix(TargetReader.artifactNameBytesMax).drop { $0 == 0x2E }
        return kept.contains { $0 != 0x5F } ? String(decoding: kept, as: UTF8.self) : nil
    }

    /// The position behind the scheme and its slashes; 0 without them.
    static func hostPosition(in url: [UInt8]) -> Int {
        guard let end = url.firstIndex(of: 0x3A), end > 0, url[end...].starts(with: "://".utf8) else {
            return 0
        }
        let isScheme = url[..<end].allSatisfy { byte in
            (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || "+-.".utf8.contains(byte)
        }
        return isScheme ? end + 3 : 0
    }

    /// The URL without the backslashes before brackets and braces, which are no patterns then, as browsers copy them;
    /// and the first byte of a pattern. `[]` and the address of a host are none.
    static func withoutGlobs(_ url: [UInt8]) -> (url: [UInt8], glob: UInt8?) {
        let host = hostPosition(in: url)
        var plain: [UInt8] = []
        plain.reserveCapacity(url.count)
        var index = 0
        while index < url.count {
            let byte = url[index]
            let next = index + 1 < url.count ? url[index + 1] : nil
            if byte == 0x5C, let next, "{}[]".utf8.contains(next) {
                plain.append(next)
                index += 2
            } else if byte == 0x5B, index == host || next == 0x5D,
                let end = url[index...].firstIndex(of: 0x5D)
            {
                plain += url[index...end]
                index = end + 1
            } else if "{}[]".utf8.contains(byte) {
                return (url, byte)
            } else {
                plain.append(byte)
                index += 1
            }
        }
        return (plain, nil)
    }

    /// The URL without dot segments, which curl removes.
    static func withoutDots(_ url: String) -> String {
        let bytes = Array(url.utf8)
        let begin = hostPosition(in: bytes)
        let end = bytes[begin...].firstIndex(of: 0x3F) ?? bytes.endIndex
        guard let slash = bytes[begin..<end].firstIndex(of: 0x2F) else { return url }
        let path = URLReference.withoutDots(String(decoding: bytes[slash..<end], as: UTF8.self))
        return String(decoding: bytes[..<slash] + Array(path.utf8) + bytes[end...], as: UTF8.self)
    }

    /// The URL as text, in which what no URL has (RFC 3986) is percent-encoded behind the host: bytes beyond ASCII,
    /// backslashes, and braces, which would belong to a template.
    static func encoded(_ url: [UInt8]) -> String {
        let host = hostPosition(in: url)
        let end = url[host...].firstIndex { "/?".utf8.contains($0) } ?? url.endIndex
        var encoded: [UInt8] = []
        encoded.reserveCapacity(url.count)
        for (index, byte) in url.enumerated() {
            let isForeign = byte == 0x7B || byte == 0x7D || index > end && (byte >= 0x80 || byte == 0x5C)
            if isForeign { encoded += escape(byte) } else { encoded.append(byte) }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// Percent-decoded; a malformed escape stays.
    static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == 0x25, digits.count == 2 {
                decoded.append(UInt8(digits[0] << 4 | digits[1]))
                rest.removeFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }

    /// Form encoding of any bytes.
    /// - Parameter blank: the code of a blank.
    static func formEncoded(_ bytes: ArraySlice<UInt8>, blank: String = "+") -> [UInt8] {
        var encoded: [UInt8] = []
        for byte in bytes {
            let isPlain = (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || "-._~".utf8.contains(byte)
            if isPlain {
                encoded.append(byte)
            } else if byte == 0x20 {
                encoded += blank.utf8
            } else {
                encoded += escape(byte)
            }
        }
        return encoded
    }
}
