/// The page of an explanation that one server asks another one for.
struct ExplainQuestion: Sendable, Hashable {
    var size: Int
    /// The digest in the tokens of its pages.
    var digest: UInt64
    /// The path behind which the page begins; nil for the first one.
    var behind: [String]?

    init(size: Int, digest: UInt64, behind: [String]?) {
        self.size = size
        self.digest = digest
        self.behind = behind
    }

    /// Reads what `bytes` wrote; nil when it is something else.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 17 else { return nil }
        size = min(Int(clamping: PageToken.number(bytes.prefix(8))), Int(PageRequest.sizeMax))
        digest = PageToken.number(bytes[8..<16])
        let path = String(decoding: bytes[17...], as: UTF8.self).split(separator: "/").map(String.init)
        behind = bytes[16] == 1 ? path : nil
    }

    var bytes: [UInt8] {
        PageToken.bytes(UInt64(size)) + PageToken.bytes(digest) + [behind == nil ? 0 : 1]
            + Array((behind ?? []).joined(separator: "/").utf8)
    }

    /// An answer: the length of the token of the next page, the token, and the explanation.
    static func answer(_ json: [UInt8], next token: String?) -> [UInt8] {
        let token = Array((token ?? "").utf8)
        return PageToken.bytes(UInt64(token.count)) + token + json
    }

    /// Reads what `answer` wrote.
    static func answer(_ bytes: [UInt8]) -> (json: [UInt8], next: String?)? {
        let count = Int(clamping: PageToken.number(bytes.prefix(8)))
        guard bytes.count > 8, count <= bytes.count - 8 else { return nil }
        let token = String(decoding: bytes[8..<(8 + count)], as: UTF8.self)
        return (Array(bytes[(8 + count)...]), token.isEmpty ? nil : token)
    }
}
