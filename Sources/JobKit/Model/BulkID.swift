/// The name of a bulk action.
package struct BulkID: PrefixedID {
    package static let prefix = "blk_"

    package let bits: JobID

    package init(bits: JobID) { self.bits = bits }
}
