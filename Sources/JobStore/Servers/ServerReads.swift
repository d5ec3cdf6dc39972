/// Reads of the servers that share a store.
package protocol ServerReads: Sendable {
    /// The servers that are alive and have announced themselves, the longest running first.
    func servers() throws(JobStoreError) -> [ServerRecord]
}

extension ServerReads {
    /// None: for engines that one server uses.
    package func servers() throws(JobStoreError) -> [ServerRecord] { [] }
}
