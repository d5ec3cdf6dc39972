import COpenSSL
import JobKit

/// The SHA-256 digest (FIPS 180-4) of content that comes piece by piece.
// Safe because one at a time uses it, as `RunningDigest` says, and the context is freed once, in `deinit`.
@safe final class RunningSHA256: RunningDigest, @unchecked Sendable {
    private let context: OpaquePointer

    /// A digest of nothing yet.
    init() {
        guard let made = unsafe EVP_MD_CTX_new() else { preconditionFailure("OpenSSL is out of memory") }
        unsafe context = unsafe made
        unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    func update(_ bytes: Span<UInt8>) {
        _ = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let finished = unsafe EVP_DigestFinal_ex(context, &digest, nil)
        precondition(finished == 1, "OpenSSL cannot compute SHA-256")
        return digest
    }
}
