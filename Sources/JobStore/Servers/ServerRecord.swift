package import JobKit

/// A server that is alive: its lease has not ended.
package struct ServerRecord: Sendable, Hashable {
    /// The owner of its claims, which is another one after each start.
    package var id: OwnerID
    package var host: String
    package var version: String
    package var startedAt: Timestamp
    /// The address at which others reach it, if the operator has given one.
    package var address: String?
    /// The end of its lease unless it is renewed; nil when it is the only server of its store.
    package var leaseUntil: Timestamp?
    /// Identifies its secret key, and reveals nothing about it.
    package var secretKey: String?
    /// The number of jobs that it runs; 0 when they were not counted.
    package var running = 0

    package init(
        id: OwnerID, host: String, version: String, startedAt: Timestamp, address: String? = nil
    ) {
        self.id = id
        self.host = host
        self.version = version
        self.startedAt = startedAt
        self.address = address
    }
}

/// Reads of the servers that share a store.
package protocol ServerReads: Sendable {
    /// The servers that are alive and have announced themselves, the longest running first.
    /// - Parameter countingJobs: whether their jobs are counted, which takes long while a snapshot is held back.
    func servers(countingJobs: Bool) throws(JobStoreError) -> [ServerRecord]
}

extension ServerReads {
    /// None: for engines that one server uses.
    package func servers(countingJobs: Bool) throws(JobStoreError) -> [ServerRecord] { [] }
}
