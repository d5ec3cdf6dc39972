/// One life of one server: claims carry it, and leases belong to it. A server that starts again, or whose lease was
/// lost, goes on under another one.
package struct OwnerID: Sendable, Hashable, CustomStringConvertible {
    /// The id as it is stored.
    package let description: String

    /// An id that was stored.
    package init(_ text: String) { description = text }

    /// The id of a life that begins: 15 letters and digits, so that the text lies in the value itself.
    package static func new() -> OwnerID {
        let number = UInt64.random(in: (1 << 63)...(.max))
        return OwnerID("o-" + String(number, radix: 36))
    }
}

extension JobStoreError {
    /// An owner without a lease claims nothing and keeps nothing.
    package static func leaseLost(_ owner: OwnerID) -> JobStoreError {
        JobStoreError(
            .leaseLost, "The lease of this server (\(owner)) is over, and its jobs go on elsewhere.")
    }
}
