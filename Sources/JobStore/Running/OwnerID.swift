/// One life of one server, which owns claims and a lease. A server that restarts, or whose lease was lost, gets a new
/// one.
package struct OwnerID: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ text: String) { description = text }

    /// Generates an id: 15 letters and digits, which a string stores inline.
    package static func new() -> OwnerID {
        let number = UInt64.random(in: (1 << 63)...(.max))
        return OwnerID("o-" + String(number, radix: 36))
    }
}

extension JobStoreError {
    /// The error of an owner without a lease, which can neither claim nor keep jobs.
    package static func leaseLost(_ owner: OwnerID) -> JobStoreError {
        JobStoreError(
            .leaseLost, "The lease of this server (\(owner)) is over, and its jobs go on elsewhere.")
    }
}
