/// The name of a delivery to a hook.
package struct DeliveryID: PrefixedID {
    package static let prefix = "dlv_"

    package let bits: JobID

    package init(bits: JobID) { self.bits = bits }
}
