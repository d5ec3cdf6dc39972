package import JobKit

/// Reads of exclusive keys.
package protocol HoldReads: Sendable {
    /// All exclusive keys that operations hold.
    func holds() throws(JobStoreError) -> [ExclusiveHold]

    /// Why an operation waits for keys; empty where the server keeps the lines (`SharedStore`).
    func standing(of path: [String], in job: JobID, for keys: [String]) throws(JobStoreError) -> KeyStanding
}

extension HoldReads {
    /// Empty: for engines that one server uses.
    package func standing(
        of path: [String], in job: JobID, for keys: [String]
    ) throws(JobStoreError) -> KeyStanding { KeyStanding() }
}
