/// Reads of exclusive keys.
package protocol HoldReads: Sendable {
    /// All exclusive keys that operations hold.
    func holds() throws(JobStoreError) -> [ExclusiveHold]
}
