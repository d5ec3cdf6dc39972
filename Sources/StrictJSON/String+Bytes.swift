extension String {
    /// Whether both texts have the same UTF-8 bytes.
    ///
    /// `==` alone also accepts canonically equivalent spellings, which are different names in JSON (RFC 8259 §8.3); it
    /// is tested first because it is fastest at saying no.
    @inline(__always)
    package func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && self == other && hasSameSpelling(as: other)
    }

    private func hasSameSpelling(as other: String) -> Bool {
        let left = utf8.span
        let right = other.utf8.span
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}
