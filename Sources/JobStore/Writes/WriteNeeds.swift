package import JobKit

/// The rows that a write will look for, so that an engine can lock those of a whole group together and in order.
package struct WriteNeeds: Sendable {
    /// The rows of one kind as a whole, which one server changes at a time.
    package enum Whole: Int, Sendable {
        case settings, templates, schedules, bulks
    }

    /// Existing jobs.
    package var ids: [JobID] = []
    /// The claims of runs that write to their jobs.
    package var runs: [ClaimKey] = []
    /// The claims of runs that take or release exclusive keys.
    package var claims: [ClaimKey] = []
    package var submissions: [NewJob] = []
    /// Exclusive keys that are taken or released.
    package var keys: [String] = []
    /// Schedules that are changed or removed.
    package var schedules: [String] = []
    /// Bulk actions that go on or stop.
    package var bulks: [BulkID] = []
    /// Grants that are decided, requested or removed, and grants for which runs suspend their jobs.
    package var grants: [String] = []
    package var awaitedGrants: [String] = []
    /// Ends of jobs whose callbacks are stored.
    package var ends: [JobID] = []
    /// Content that is held.
    package var contents: [String] = []
    /// Locks of keys of deliveries that are looked for.
    package var deliveries: [String] = []
    /// Kinds of rows of which some are added, or counted.
    package var wholes: Set<Whole> = []
    /// Kinds of rows of which some are changed.
    package var parts: Set<Whole> = []

    package init(
        ids: [JobID] = [], runs: [ClaimKey] = [], claims: [ClaimKey] = [], submissions: [NewJob] = [],
        keys: [String] = [], schedules: [String] = [], bulks: [BulkID] = [], grants: [String] = [],
        contents: [String] = [], wholes: Set<Whole> = [], parts: Set<Whole> = []
    ) {
        self.ids = ids
        self.runs = runs
        self.claims = claims
        self.submissions = submissions
        self.keys = keys
        self.schedules = schedules
        self.bulks = bulks
        self.grants = grants
        self.contents = contents
        self.wholes = wholes
        self.parts = parts
    }

    package mutating func add(_ other: WriteNeeds) {
        ids += other.ids
        runs += other.runs
        claims += other.claims
        submissions += other.submissions
        keys += other.keys
        schedules += other.schedules
        bulks += other.bulks
        grants += other.grants
        awaitedGrants += other.awaitedGrants
        ends += other.ends
        contents += other.contents
        deliveries += other.deliveries
        wholes.formUnion(other.wholes)
        parts.formUnion(other.parts)
    }
}
