import COpenSSL
import JobKit
import Synchronization

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// The 32 bytes of the digest of `bytes`.
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        digest(of: [bytes])
    }

    /// The digest of the concatenation of `parts`.
    package static func digest(of parts: [[UInt8]]) -> [UInt8] {
        var context = DigestContext()
        for part in parts { context.update(part.span) }
        return context.finish()
    }
}

/// The SHA-256 digest (FIPS 180-4) of a stream.
package final class RunningSHA256: RunningDigest {
    private let context = Mutex(DigestContext())

    package init() {}

    package func update(_ bytes: Span<UInt8>) {
        context.withLock { $0.update(bytes) }
    }

    package func finish() -> [UInt8] {
        context.withLock { $0.finish() }
    }
}

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
