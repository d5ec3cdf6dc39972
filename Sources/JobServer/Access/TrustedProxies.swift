import HTTPMessage

/// The proxies whose word on where a request came from is taken. What others say in these fields, anybody could.
struct TrustedProxies: Sendable, Hashable {
    private let ranges: [CIDR]

    /// The proxies with an address in one of `ranges`.
    init(_ ranges: [CIDR] = []) {
        self.ranges = ranges
    }

    /// Whether this is the address of one.
    func contains(_ address: IPAddress) -> Bool {
        ranges.contains { $0.contains(address) }
    }

    /// The client of a request: the last address in `X-Forwarded-For` that is not a proxy's own, as each proxy adds the
    /// one that it was called from at the end. Without such a field, and from other peers, the peer itself.
    func client(of fields: HTTPFields, from peer: IPAddress) -> IPAddress {
        guard contains(peer), let list = fields.combined("x-forwarded-for") else { return peer }
        var client = peer
        for part in list.split(separator: ",").reversed() {
            guard let address = Self.address(part) else { break }
            client = address
            if !contains(address) { break }
        }
        return client
    }

    /// What a proxy took away from the beginning of the path, without a slash at its end; empty when nothing.
    func prefix(of fields: HTTPFields, from peer: IPAddress) -> String {
        guard !ranges.isEmpty, contains(peer), let sent = fields["x-forwarded-prefix"] else { return "" }
        var bytes = Array(sent.utf8)
        while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.count <= 200, bytes.first == UInt8(ascii: "/"), !text.contains("//"),
            RequestTarget(text)?.queryBytes == nil, RequestTarget(text)?.form == .origin
        else { return "" }
        return text
    }

    /// An address as proxies write it: bare, in brackets, with or without a port.
    private static func address(_ part: Substring) -> IPAddress? {
        let text = part.trimmingPrefix(while: \.isWhitespace)
        let word = text.prefix { !$0.isWhitespace }
        if let address = IPAddress(String(word)) { return address.unmapped }
        if word.first == "[", let end = word.firstIndex(of: "]") {
            return IPAddress(String(word[word.index(after: word.startIndex)..<end]))?.unmapped
        }
        return IPAddress(String(word.prefix { $0 != ":" }))
    }
}
