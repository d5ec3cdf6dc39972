/// The name of an upload.
package struct UploadID: PrefixedID {
    package static let prefix = "art_"

    package let bits: JobID

    package init(bits: JobID) { self.bits = bits }
}
