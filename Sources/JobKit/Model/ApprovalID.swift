/// The name of an approval for ever: like a `JobID`, written as `apr_` and 26 characters.
package struct ApprovalID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The 128 bits, which sort by time of creation.
    package let bits: JobID

    /// The approval with these bits.
    package init(bits: JobID) { self.bits = bits }

    /// A new id for an approval that is opened at `time`.
    package init(at time: Timestamp, using generator: inout some RandomNumberGenerator) {
        bits = JobID(at: time, using: &generator)
    }

    /// The id that `text` names; nil unless it is `apr_` and 26 characters of the alphabet.
    package init?(_ text: some StringProtocol) {
        self.init(utf8: Array(text.utf8.prefix(31))[...])
    }

    /// The id that these bytes write; nil unless they are `apr_` and 26 characters of the alphabet.
    package init?(utf8 bytes: ArraySlice<UInt8>) {
        guard bytes.starts(with: "apr_".utf8),
            let bits = JobID(utf8: ArraySlice(Array("job_".utf8) + bytes.dropFirst(4)))
        else { return nil }
        self.bits = bits
    }

    /// `apr_` and 26 characters.
    package var description: String { "apr_" + bits.description.dropFirst(4) }

    /// Older ids are less.
    package static func < (left: ApprovalID, right: ApprovalID) -> Bool { left.bits < right.bits }
}
