import COpenSSL

/// A SHA-256 digest (FIPS 180-4) in progress, by OpenSSL.
@safe struct DigestContext: ~Copyable {
    private let context: OpaquePointer

    init() {
        guard let made = unsafe EVP_MD_CTX_new() else { preconditionFailure("OpenSSL is out of memory") }
        let begun = unsafe EVP_DigestInit_ex(made, copenssl_sha256(), nil)
        precondition(begun == 1, "OpenSSL has no SHA-256")
        unsafe context = unsafe made
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    mutating func update(_ bytes: Span<UInt8>) {
        _ = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    /// Ends the computation and returns the 32 bytes of the digest.
    mutating func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let finished = unsafe EVP_DigestFinal_ex(context, &digest, nil)
        precondition(finished == 1, "OpenSSL cannot compute SHA-256")
        return digest
    }
}
