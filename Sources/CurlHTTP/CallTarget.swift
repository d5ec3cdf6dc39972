/// The scheme, host and port of a call's URL, read strictly: what is accepted here has one meaning only, so that
/// libcurl, which parses the URL again, cannot see another host in it.
struct CallTarget: Hashable {
    /// Whether the scheme is `https`.
    var isSecure: Bool
    /// The host in lower case; an IPv6 address without its brackets.
    var host: String
    /// 1…65535; the scheme's own port when none is written.
    var port: Int

    /// Host and port as people write them: `example.com:443`, `[2001:db8::1]:80`.
    var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// What is wrong with a URL.
    enum Problem: Error, Hashable {
        case scheme, character, userinfo, host, port

        /// The problem in words that continue "the URL …".
        var text: String {
            switch self {
            case .scheme: "must begin with http:// or https://"
            case .character: "contains a character that must be percent-encoded"
            case .userinfo: "must not contain a user name or password"
            case .host: "has no valid host"
            case .port: "has a port outside 1 to 65535"
            }
        }
    }

    /// Stands in where there is no target yet.
    static let unknown = CallTarget(isSecure: false, host: "unknown", port: 80)

    private init(isSecure: Bool, host: String, port: Int) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }

    /// Reads an absolute `http` or `https` URL: printable ASCII, no backslash, no userinfo, a host of letters,
    /// digits, `-`, `.`, `_` or a bracketed IPv6 address.
    init(_ url: String) throws(Problem) {
        var bytes = Array(url.utf8)
        guard let secure = Self.takeScheme(&bytes) else { throw .scheme }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") }) else {
            throw .character
        }
        let authorityEnd = bytes.firstIndex { Self.endsAuthority($0) } ?? bytes.endIndex
        let authority = bytes[..<authorityEnd]
        guard !authority.contains(UInt8(ascii: "@")) else { throw .userinfo }
        let (host, portText) = try Self.split(authority)
        isSecure = secure
        self.host = String(decoding: host.map(Self.lowered), as: UTF8.self)
        port = try Self.port(portText, isSecure: secure)
    }

    private static func takeScheme(_ bytes: inout [UInt8]) -> Bool? {
        for (scheme, secure) in [("http://", false), ("https://", true)] {
            let length = scheme.utf8.count
            if bytes.count > length, bytes[..<length].map(lowered).elementsEqual(scheme.utf8) {
                bytes.removeFirst(length)
                return secure
            }
        }
        return nil
    }

    private static func split(
        _ authority: ArraySlice<UInt8>
    ) throws(Problem) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>) {
        let isBracketed = authority.first == UInt8(ascii: "[")
        let hostEnd: Int
        if isBracketed {
            guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else { throw .host }
            hostEnd = close + 1
        } else {
            hostEnd = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        }
        var port = authority[hostEnd...]
        if !port.isEmpty {
            guard port.removeFirst() == UInt8(ascii: ":"), !port.isEmpty else { throw .port }
        }
        let host = isBracketed ? authority[(authority.startIndex + 1)..<(hostEnd - 1)] : authority[..<hostEnd]
        guard !host.isEmpty, host.allSatisfy(isBracketed ? isAddressByte : isNameByte) else { throw .host }
        return (host, port)
    }

    private static func port(_ text: ArraySlice<UInt8>, isSecure: Bool) throws(Problem) -> Int {
        if text.isEmpty { return isSecure ? 443 : 80 }
        guard text.count <= 5, text.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .port }
        let value = text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard (1...65535).contains(value) else { throw .port }
        return value
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66, UInt8(ascii: ":"), UInt8(ascii: "."): true
        default: false
        }
    }
}
