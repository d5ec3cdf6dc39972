/// The name of a thing that is not a job for ever: like a `JobID`, with another prefix.
package protocol PrefixedID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Four characters, such as `apr_`.
    static var prefix: String { get }

    /// The 128 bits, which sort by time of creation.
    var bits: JobID { get }

    init(bits: JobID)
}

extension PrefixedID {
    /// The id that `text` names; nil unless it is the prefix and 26 characters of the alphabet.
    package init?(_ text: some StringProtocol) {
        self.init(utf8: Array(text.utf8.prefix(31))[...])
    }

    /// The id that these bytes write; nil unless they are the prefix and 26 characters of the alphabet.
    package init?(utf8 bytes: ArraySlice<UInt8>) {
        guard bytes.starts(with: Self.prefix.utf8),
            let bits = JobID(utf8: ArraySlice(Array("job_".utf8) + bytes.dropFirst(4)))
        else { return nil }
        self.init(bits: bits)
    }

    /// The prefix and 26 characters.
    package var description: String { Self.prefix + bits.description.dropFirst(4) }

    /// Older ids are less.
    package static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }
}
