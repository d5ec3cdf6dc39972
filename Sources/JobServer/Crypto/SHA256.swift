import COpenSSL

/// The SHA-256 digest (FIPS 180-4).
enum SHA256 {
    /// Looked up once: for a short text that would cost as much as the digest.
    // Safe because OpenSSL never changes an algorithm that was fetched, and this one is never given back.
    private nonisolated(unsafe) static let algorithm: OpaquePointer? = unsafe EVP_MD_fetch(nil, "SHA256", nil)

    /// The 32 bytes of the digest of `bytes`.
    static func digest(of bytes: [UInt8]) -> [UInt8] {
        digest(of: [bytes])
    }

    /// The digest of all `parts`, one after the other.
    static func digest(of parts: [[UInt8]]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("OpenSSL is out of memory") }
        defer { unsafe EVP_MD_CTX_free(context) }
        unsafe EVP_DigestInit_ex(context, algorithm, nil)
        for part in parts {
            unsafe EVP_DigestUpdate(context, part, part.count)
        }
        let finished = unsafe EVP_DigestFinal_ex(context, &digest, nil)
        precondition(finished == 1, "OpenSSL cannot compute SHA-256")
        return digest
    }
}
