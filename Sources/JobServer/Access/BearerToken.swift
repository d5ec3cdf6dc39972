import OpenSSLCrypto

/// A token in clear text: `js_` and 43 characters that encode 256 random bits.
struct BearerToken: Sendable {
    let text: String

    /// Generates a token.
    init() {
        text = "js_" + BearerToken.base64URL(SecureRandom.bytes(32))
    }

    /// The digest that the token file stores.
    var digest: [UInt8] { SHA256.digest(of: Array(text.utf8)) }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Encodes `bytes` as URL-safe base64 (RFC 4648 §5) without padding.
    static func base64URL(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(buffer >> UInt32(bits) & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << UInt32(6 - bits) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
