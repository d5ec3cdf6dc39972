package import JobKit

/// The request of an operation for exclusive keys.
package struct KeyRequest: Sendable {
    package var claim: ClaimKey
    /// The operation: the names below the root.
    package var path: [String]
    package var keys: [String]
    /// Whether the operation enters the line when they are not free.
    package var waits: Bool
    package var at: Timestamp

    package init(claim: ClaimKey, path: [String], keys: [String], waits: Bool, at: Timestamp) {
        self.claim = claim
        self.path = path
        self.keys = keys
        self.waits = waits
        self.at = at
    }
}

/// An operation in line for exclusive keys, or one that asks for some.
package struct KeyWaiter: Sendable, Hashable {
    /// Its place in all lines.
    package var number: Int64
    package var job: JobID
    package var path: [String]

    package init(number: Int64, job: JobID, path: [String]) {
        self.number = number
        self.job = job
        self.path = path
    }

    var owner: ExclusionOwner { ExclusionOwner(job: "\(job)", path: path) }
}

/// Why an operation waits for exclusive keys.
package struct KeyStanding: Sendable, Hashable {
    /// The job that holds one of them.
    package var holder: JobID?
    /// The number of operations in line before it; nil when it does not wait.
    package var ahead: Int?

    package init(holder: JobID? = nil, ahead: Int? = nil) {
        self.holder = holder
        self.ahead = ahead
    }
}

extension ServerMessage {
    /// The subject of the message that an operation in line got its keys.
    package static let granted = "granted"

    package static func granted(to path: [String], of job: JobID) -> ServerMessage {
        ServerMessage(.notice, job: job, subject: granted, body: Array(path.joined(separator: "/").utf8))
    }
}

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
