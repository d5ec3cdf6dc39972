import COpenSSL

/// Signatures with Ed25519 (RFC 8032).
package enum Ed25519 {
    /// Whether `signature` is that of `message` by the owner of the public key; false when either is malformed.
    package static func verifies(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Bool {
        guard key.count == 32, signature.count == 64 else { return false }
        guard let known = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, key, key.count) else {
            return false
        }
        defer { unsafe EVP_PKEY_free(known) }
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("OpenSSL is out of memory") }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, known) == 1 else { return false }
        let verdict = unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count)
        // A wrong signature leaves an entry in the queue of errors of this thread.
        if verdict != 1 { ERR_clear_error() }
        return verdict == 1
    }
}
