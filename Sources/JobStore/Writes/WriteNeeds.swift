package import JobKit

/// The rows that a write will look for, so that an engine can lock those of a whole group together and in order.
package struct WriteNeeds: Sendable {
    /// Existing jobs.
    package var ids: [JobID] = []
    /// The claims of runs that write to their jobs.
    package var runs: [ClaimKey] = []
    /// The claims of runs that take or release exclusive keys.
    package var claims: [ClaimKey] = []
    /// New jobs.
    package var submissions: [NewJob] = []
    /// Exclusive keys that are taken or released.
    package var keys: [String] = []

    package init(
        ids: [JobID] = [], runs: [ClaimKey] = [], claims: [ClaimKey] = [], submissions: [NewJob] = [],
        keys: [String] = []
    ) {
        self.ids = ids
        self.runs = runs
        self.claims = claims
        self.submissions = submissions
        self.keys = keys
    }

    package mutating func add(_ other: WriteNeeds) {
        ids += other.ids
        runs += other.runs
        claims += other.claims
        submissions += other.submissions
        keys += other.keys
    }
}
