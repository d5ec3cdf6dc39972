import HTTPMessage

/// The proxies whose forwarding fields are trusted. From any other peer these fields are forgeable and ignored.
struct TrustedProxies: Sendable, Hashable {
    private let ranges: [CIDR]

    /// Creates the set of proxies with an address in one of `ranges`.
    init(_ ranges: [CIDR] = []) {
        self.ranges = ranges
    }

    func contains(_ address: IPAddress) -> Bool {
        ranges.contains { $0.contains(address) }
    }

    /// The client address of a request: the last address in `X-Forwarded-For` that is not a proxy's, since each proxy
    /// appends the address of its peer. Without such a field, and for other peers, the peer itself.
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

    /// The path prefix that a proxy has stripped, without a trailing slash; empty when there is none.
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

    /// An address in the forms that proxies write: bare, in brackets, with or without a port.
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
