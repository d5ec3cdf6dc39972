import COpenSSL

/// Authenticated encryption: AES-256 in Galois/Counter Mode (NIST SP 800-38D).
///
/// A sealed message is a nonce of 12 random bytes, the ciphertext, and a tag of 16 bytes.
package enum AESGCM {
    private static let nonceBytes = 12
    private static let tagBytes = 16

    /// Encrypts `message` with a key of 32 bytes. `context` is authenticated but not encrypted.
    package static func seal(_ message: [UInt8], key: [UInt8], context: [UInt8]) -> [UInt8] {
        precondition(key.count == 32)
        let nonce = SecureRandom.bytes(nonceBytes)
        guard let cipher = unsafe EVP_CIPHER_CTX_new() else {
            preconditionFailure("OpenSSL is out of memory")
        }
        defer { unsafe EVP_CIPHER_CTX_free(cipher) }
        var hidden = [UInt8](repeating: 0, count: message.count + 16)
        var tag = [UInt8](repeating: 0, count: tagBytes)
        var count: CInt = 0
        var rest: CInt = 0
        var isMade = unsafe EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1
        isMade = unsafe isMade && EVP_EncryptUpdate(cipher, nil, &count, context, CInt(context.count)) == 1
        isMade =
            unsafe isMade && EVP_EncryptUpdate(cipher, &hidden, &count, message, CInt(message.count)) == 1
        var end = [UInt8](repeating: 0, count: 16)
        isMade = unsafe isMade && EVP_EncryptFinal_ex(cipher, &end, &rest) == 1
        isMade =
            unsafe isMade
            && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, CInt(tagBytes), &tag) == 1
        precondition(isMade && rest == 0 && Int(count) == message.count, "OpenSSL cannot encrypt")
        return nonce + hidden.prefix(Int(count)) + tag
    }

    /// Decrypts `sealed`; nil when it was modified, or sealed with another key or context.
    package static func open(_ sealed: [UInt8], key: [UInt8], context: [UInt8]) -> [UInt8]? {
        precondition(key.count == 32)
        guard sealed.count >= nonceBytes + tagBytes else { return nil }
        let nonce = Array(sealed.prefix(nonceBytes))
        var tag = Array(sealed.suffix(tagBytes))
        let hidden = Array(sealed.dropFirst(nonceBytes).dropLast(tagBytes))
        guard let cipher = unsafe EVP_CIPHER_CTX_new() else {
            preconditionFailure("OpenSSL is out of memory")
        }
        defer { unsafe EVP_CIPHER_CTX_free(cipher) }
        var message = [UInt8](repeating: 0, count: hidden.count + 16)
        var end = [UInt8](repeating: 0, count: 16)
        var count: CInt = 0
        var rest: CInt = 0
        guard unsafe EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            unsafe EVP_DecryptUpdate(cipher, nil, &count, context, CInt(context.count)) == 1,
            unsafe EVP_DecryptUpdate(cipher, &message, &count, hidden, CInt(hidden.count)) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, CInt(tagBytes), &tag) == 1,
            unsafe EVP_DecryptFinal_ex(cipher, &end, &rest) == 1
        else { return nil }
        return Array(message.prefix(hidden.count))
    }
}
