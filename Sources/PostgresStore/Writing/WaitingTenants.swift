import JobKit
import JobStore

// DESIGN
// The index of jobs that are ready leads from one tenant to the next, but past the dead entries of a tenant that had
// many, as long as an open snapshot keeps them (see `ScanStarts`). So the writer remembers the tenants whose jobs it
// or another server made ready, and looks for all of them seldom: that drops those that have none left, and finds what
// was missed.

/// The tenants of which a job in no line may be ready, and whose turn it is. Used by the writer thread only.
final class WaitingTenants {
    /// Whose turn it is.
    var turns = TenantTurns()
    private var known: Set<Tenant> = []
    private var nextLook = ContinuousClock.now
    private static let lookEvery = Duration.seconds(1)
    /// The number of tenants that a claim looks at together: some have no job that is ready any more.
    static let atOnce = 64

    /// Notes that a job of a tenant became ready.
    func note(_ tenant: Tenant) { known.insert(tenant) }

    func note(_ tenants: Set<Tenant>) { known.formUnion(tenants) }

    /// Looks for all tenants if it is time to.
    func look(_ find: () throws(PostgresFailure) -> [Tenant]) throws(PostgresFailure) {
        if ContinuousClock.now < nextLook { return }
        known = Set(try find())
        nextLook = .now + Self.lookEvery
    }

    /// The prefixes of the tenants whose jobs a claim looks for, in their turns, with the empty one for jobs without a
    /// tenant.
    /// - Parameter most: the maximum number of tenants.
    func upcoming(_ most: Int, _ shares: TenantShares) -> [String] {
        if known.isEmpty { return [""] }
        let names = known.map(\.prefix).sorted()
        var found = turns.upcoming(most, passing: shares.passing) { name in
            let place = names.partitioningIndex { $0 > name }
            return place < names.count ? names[place] : nil
        }
        if !found.contains(where: \.isEmpty) { found.append("") }
        return found
    }
}

extension [String] {
    /// The first place from which on a condition holds, in a list in which it holds from one place on.
    fileprivate func partitioningIndex(where holds: (String) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
