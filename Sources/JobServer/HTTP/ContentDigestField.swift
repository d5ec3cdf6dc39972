import HTTPMessage
import JobKit

/// The SHA-256 that a request announces for its content, in `Content-Digest` or `Repr-Digest` (RFC 9530), which are the
/// same where no part of a representation is sent.
enum ContentDigestField {
    private static let names = ["content-digest", "repr-digest"]

    /// The digest; nil when none is announced.
    /// - Throws: `.invalidHeader` for a field without a SHA-256, and for two that differ: what is announced is checked.
    static func read(_ fields: HTTPFields) throws(Problem) -> [UInt8]? {
        var found: [UInt8]?
        for name in names {
            guard let text = fields.combined(name) else { continue }
            guard let digest = sha256(in: Array(text.utf8)) else {
                throw Problem(
                    header: name,
                    "\(name) has no SHA-256 that can be checked, so nothing was stored. Write it as \(name): "
                        + "sha-256=:…: with the digest in base 64, or leave the field out.")
            }
            guard found == nil || found == digest else {
                throw Problem(
                    header: name,
                    "content-digest and repr-digest differ, and the content is sent as a whole.")
            }
            found = digest
        }
        return found
    }

    /// The member `sha-256` of a dictionary (RFC 9651 §3.2); of several the last.
    private static func sha256(in text: [UInt8]) -> [UInt8]? {
        var found: [UInt8]?
        for part in text.split(separator: UInt8(ascii: ",")) {
            let member = part.drop(while: isBlank)
            guard let equals = member.firstIndex(of: UInt8(ascii: "=")),
                member[..<equals].elementsEqual("sha-256".utf8)
            else { continue }
            let value = member[(equals + 1)...].prefix { $0 != UInt8(ascii: ";") && !isBlank($0) }
            let colon = UInt8(ascii: ":")
            guard value.count >= 2, value.first == colon, value.last == colon,
                let digest = Base64.decode(value.dropFirst().dropLast()), digest.count == 32
            else { return nil }
            found = digest
        }
        return found
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
