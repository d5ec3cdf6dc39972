extension JobDetail.Call {
    /// The longest host with a port, in bytes.
    private static let hostBytesMax = 270

    /// The host of the URL as filters know it.
    package var host: String? { Self.host(of: url) }

    /// The host of a URL in lower case, with its port unless that is the default of the scheme; nil without one.
    package static func host(of url: String) -> String? {
        let bytes = url.utf8.span
        var start = 0
        while start < bytes.count, bytes[start] != UInt8(ascii: ":") { start += 1 }
        let isSecure = start == 5 && url.utf8.starts(with: "https".utf8)
        start += 3
        guard start <= bytes.count, bytes[start - 2] == UInt8(ascii: "/"),
            bytes[start - 1] == UInt8(ascii: "/")
        else { return nil }
        var name: [UInt8] = []
        name.reserveCapacity(min(bytes.count - start, hostBytesMax + 1))
        authority: for index in start..<bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break authority
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): name.append(bytes[index] | 0x20)
            default: name.append(bytes[index])
            }
        }
        let port = (isSecure ? ":443" : ":80").utf8
        if name.count > port.count, name.suffix(port.count).elementsEqual(port) {
            name.removeLast(port.count)
        }
        guard !name.isEmpty, name.count <= hostBytesMax else { return nil }
        return String(decoding: name, as: UTF8.self)
    }
}
