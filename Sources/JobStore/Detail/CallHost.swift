extension JobDetail.Call {
    /// The longest host with a port, in bytes.
    private static let hostBytesMax = 270

    /// The host of the URL as filters know it.
    package var host: String? { Self.host(of: url) }

    /// The host of a URL in lower case, with its port unless that is the default of the scheme; nil without one.
    package static func host(of url: String) -> String? {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8)
        else { return nil }
        let isSecure = bytes[..<colon].elementsEqual("https".utf8)
        let rest = bytes[colon...].dropFirst(3)
        let authority = rest.prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        let port = (isSecure ? ":443" : ":80").utf8
        let hasPort = authority.count > port.count && authority.suffix(port.count).elementsEqual(port)
        let name = hasPort ? authority.dropLast(port.count) : authority
        guard !name.isEmpty, name.count <= hostBytesMax else { return nil }
        return String(
            decoding: name.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
