package import JobKit

/// The leases of owners. An owner without a lease is dead; one with an expired lease is dead as soon as its jobs are
/// requeued.
package struct OwnerLeases: Sendable {
    private var ends: [OwnerID: Timestamp] = [:]
    /// The owners whose jobs were requeued although they may still be alive, and must be informed.
    private var lost: Set<OwnerID> = []
    /// Whether owners without a lease may have jobs in flight.
    package private(set) var mayHaveDead = true

    /// Creates an empty table, for a store that no other process uses.
    package init() {}

    /// Begins or extends the lease of an owner. Returns false when it was lost.
    package mutating func renew(_ owner: OwnerID, until end: Timestamp) -> Bool {
        if lost.contains(owner) { return false }
        ends[owner] = max(ends[owner] ?? end, end)
        return true
    }

    /// Whether the owner may claim: it has a lease, which may have expired but is not lost.
    package func holds(_ owner: OwnerID) -> Bool { ends[owner] != nil }

    /// Whether the jobs of the owner may be requeued.
    package func isOver(_ owner: OwnerID, at now: Timestamp) -> Bool { ends[owner].map { $0 <= now } ?? true }

    /// Revokes expired leases.
    /// - Parameter survivor: keeps its lease.
    package mutating func takeOver(besides survivor: OwnerID?, at now: Timestamp) {
        for (owner, end) in ends where end <= now && owner != survivor {
            ends[owner] = nil
            lost.insert(owner)
            mayHaveDead = true
        }
    }

    /// Ends the lease of an owner that stops in order.
    package mutating func end(_ owner: OwnerID) {
        ends[owner] = nil
        lost.remove(owner)
        mayHaveDead = true
    }

    /// Notes that all jobs of owners without a lease were requeued, and that this is stored.
    package mutating func notePutBack() { mayHaveDead = false }

    /// The owners with an unexpired lease.
    package func alive(at now: Timestamp) -> [OwnerID] { ends.filter { $0.value > now }.map(\.key) }
}

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
