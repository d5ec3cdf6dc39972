import COpenSSL

/// Comparisons whose duration does not depend on where two values differ.
package enum ConstantTime {
    /// Whether both hold the same bytes. Their lengths are not secret.
    package static func equals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe CRYPTO_memcmp(left, right, left.count) == 0
    }
}
