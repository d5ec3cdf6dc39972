import HTTPMessage
import JobKit
import OpenSSLCrypto

/// A file of the page, ready to be sent.
struct PageFile: Sendable {
    let contentType: String
    let bytes: [UInt8]
    /// The compressed content.
    let packed: [UInt8]?
    /// The entity tag of the content.
    let tag: String

    /// A file with this content; the extension of its path determines the media type.
    init?(path: String, bytes: [UInt8]) {
        guard let end = path.split(separator: ".").last, let type = Self.types[String(end)] else {
            return nil
        }
        contentType = type
        self.bytes = bytes
        packed = Gzip.pack(bytes)
        tag = HexText.encode(Array(SHA256.digest(of: bytes).prefix(12)))
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
    ]

    /// The answer to a request: 304 when the browser has the file, compressed when it accepts that.
    func answer(to asked: HTTPFields) -> HTTPResponse {
        let isPacked = packed != nil && Self.takesGzip(asked)
        let tag = "\"\(tag)\(isPacked ? "-gzip" : "")\""
        var fields = PageHeaders.fields
        fields.add("ETag", tag)
        fields.add("Cache-Control", "no-cache")
        fields.add("Vary", "Accept-Encoding")
        if let entity = EntityTag(tag),
            asked.all("if-none-match").contains(where: { entity.isNamed(inIfNoneMatch: $0) })
        {
            return HTTPResponse(status: .notModified, fields: fields, body: .empty)
        }
        fields.add("Content-Type", contentType)
        if isPacked { fields.add("Content-Encoding", "gzip") }
        return HTTPResponse(status: .ok, fields: fields, body: .bytes(isPacked ? packed ?? bytes : bytes))
    }

    /// Whether gzip, or else any coding, has a weight above 0 (RFC 9110 §12.5.3).
    private static func takesGzip(_ fields: HTTPFields) -> Bool {
        guard let list = fields.combined("accept-encoding") else { return false }
        var takesAny = false
        for part in list.split(separator: ",") {
            let words = part.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            let isRefused = words.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
            if words.first == "gzip" { return !isRefused }
            if words.first == "*" { takesAny = !isRefused }
        }
        return takesAny
    }
}
