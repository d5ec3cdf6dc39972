/// The name of an upload: like a `JobID`, written as `art_` and 26 characters.
package struct UploadID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The 128 bits, which sort by time of creation.
    package let bits: JobID

    package init(bits: JobID) { self.bits = bits }

    /// Nil unless `text` is `art_` and 26 characters of the alphabet.
    package init?(_ text: String) {
        guard text.utf8.starts(with: "art_".utf8), let bits = JobID("job_" + text.dropFirst(4)) else {
            return nil
        }
        self.bits = bits
    }

    package var description: String { "art_" + bits.description.dropFirst(4) }

    package static func < (left: UploadID, right: UploadID) -> Bool { left.bits < right.bits }
}
