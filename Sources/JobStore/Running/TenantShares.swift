// DESIGN
// A tenant whose jobs fill all slots of a server would make the jobs of all others wait until one of its own ends. So
// it may hold a share of them only. Jobs without a tenant are not counted: they are the operator's, and cost nothing
// here.

/// The slots of a runner that tenants hold, and the most that one may hold.
package struct TenantShares: Sendable {
    private let most: Int
    private var held: [Tenant: Int] = [:]
    /// The tenants that hold all they may.
    package private(set) var full: Set<Tenant> = []
    /// The number of slots that tenants have returned.
    private(set) var returns = 0

    /// Shares without a limit.
    package static let unlimited = TenantShares(slots: .max)

    /// Three quarters of `slots`, at least one.
    package init(slots: Int) { most = max(1, slots / 4 * 3 + slots % 4 * 3 / 4) }

    /// The number of slots that a tenant may take; without limit for jobs that have none.
    package func room(of tenant: Tenant?) -> Int {
        tenant.map { max(0, most - held[$0, default: 0]) } ?? .max
    }

    /// Whether a tenant may take no slot.
    package func isFull(_ tenant: Tenant?) -> Bool {
        if full.isEmpty { return false }
        return tenant.map(full.contains) ?? false
    }

    /// Whether the jobs of a tenant are passed over; nil when those of none are.
    package var passing: ((Tenant?) -> Bool)? {
        full.isEmpty ? nil : { [full] tenant in tenant.map(full.contains) ?? false }
    }

    /// Counts a slot of a tenant, unless it holds all it may.
    package mutating func take(_ tenant: Tenant?) -> Bool {
        guard let tenant else { return true }
        if full.contains(tenant) { return false }
        add(tenant)
        return true
    }

    /// Counts a slot that a tenant has.
    mutating func add(_ tenant: Tenant) {
        let count = held[tenant, default: 0] + 1
        held[tenant] = count
        if count >= most { full.insert(tenant) }
    }

    /// Counts a slot that a tenant has no more.
    mutating func giveBack(_ tenant: Tenant) {
        let count = held[tenant, default: 0] - 1
        held[tenant] = count > 0 ? count : nil
        if count < most { full.remove(tenant) }
        returns += 1
    }
}
