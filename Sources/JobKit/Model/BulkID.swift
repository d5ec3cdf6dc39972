/// The name of a bulk action: like a `JobID`, written as `blk_` and 26 characters.
package struct BulkID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The 128 bits, which sort by time of creation.
    package let bits: JobID

    package init(bits: JobID) { self.bits = bits }

    /// Nil unless `text` is `blk_` and 26 characters of the alphabet.
    package init?(_ text: String) {
        guard text.utf8.starts(with: "blk_".utf8), let bits = JobID("job_" + text.dropFirst(4)) else {
            return nil
        }
        self.bits = bits
    }

    package var description: String { "blk_" + bits.description.dropFirst(4) }

    package static func < (left: BulkID, right: BulkID) -> Bool { left.bits < right.bits }
}
