internal import Synchronization

// DESIGN
// Content that is on its way is in no row yet, so uploads at the same time would each see room for themselves. A tenant
// may have as much on its way as it may keep: that bounds the disk while bodies arrive. At its end an upload is counted
// before the rows are read, and until its own row is stored: a sum is never too small, and one that was too large,
// since another was stored meanwhile, is looked at again.

/// The content that tenants are sending to this server.
package final class ContentTally: Sendable {
    private struct Sum {
        /// The bytes that have arrived, and those of uploads that have ended and are not stored yet.
        var arrived: Int64 = 0
        var ended: Int64 = 0
        var count = 0
    }

    private let meter: TenantMeter
    private let sums = Mutex<[Tenant: Sum]>([:])
    /// The number of looks at a sum that is too large.
    private static let looks = 3

    package init(_ meter: TenantMeter) { self.meter = meter }

    /// One upload of a tenant, counted until `end` or its release.
    package final class Entry: Sendable {
        private struct State {
            var bytes: Int64 = 0
            var hasEnded = false
            var isOver = false
        }

        private let tally: ContentTally
        private let tenant: Tenant
        private let most: Int64
        private let state = Mutex(State())

        fileprivate init(_ tally: ContentTally, _ tenant: Tenant, _ most: Int64) {
            (self.tally, self.tenant, self.most) = (tally, tenant, most)
        }

        deinit { end() }

        /// Counts bytes that arrived.
        /// - Returns: why they are refused; nil when there is room for them.
        package func take(_ count: Int) -> JobStoreError? {
            state.withLock { $0.bytes += Int64(count) }
            let sum = tally.add(Int64(count), of: tenant)
            guard sum > most else { return nil }
            return JobStoreError(
                .tenantLimited(seconds: 60),
                "The content that you are sending is more than \(most) bytes, your limit for all that you keep."
            )
        }

        /// Why the content, which is whole, may not be kept; nil when it may.
        package func refusal() async throws(JobStoreError) -> JobStoreError? {
            let bytes = state.withLock { state in
                state.hasEnded = true
                return state.bytes
            }
            tally.moveToEnd(bytes, of: tenant)
            var last: JobStoreError?
            for _ in 0..<ContentTally.looks {
                let ended = tally.ended(of: tenant)
                last = try await tally.meter.refusal(ofContent: Int(ended), by: tenant)
                if last == nil || ended == bytes { break }
            }
            return last
        }

        /// Stops counting it: it is stored, or given up.
        package func end() {
            let (bytes, hasEnded, wasOver) = state.withLock { state in
                defer { state.isOver = true }
                return (state.bytes, state.hasEnded, state.isOver)
            }
            if !wasOver { tally.remove(bytes, of: tenant, hasEnded: hasEnded) }
        }
    }

    /// Begins to count an upload.
    /// - Parameter announced: its length, if it is known.
    /// - Returns: nil when the tenant has no limit.
    /// - Throws: when it is too long for what the tenant is sending already.
    package func begin(_ announced: Int?, of tenant: Tenant) throws(JobStoreError) -> Entry? {
        guard let most = meter.contentMax(of: tenant) else { return nil }
        let arrived = sums.withLock { $0[tenant]?.arrived ?? 0 }
        if let announced, Int64(announced) > most - arrived {
            throw JobStoreError(
                .tenantLimited(seconds: 60),
                "The content has \(announced) bytes, you are sending \(arrived) others, and your limit for all that "
                    + "you keep is \(most).")
        }
        sums.withLock { $0[tenant, default: Sum()].count += 1 }
        return Entry(self, tenant, most)
    }

    private func add(_ bytes: Int64, of tenant: Tenant) -> Int64 {
        sums.withLock { sums in
            sums[tenant]?.arrived += bytes
            return sums[tenant]?.arrived ?? 0
        }
    }

    private func moveToEnd(_ bytes: Int64, of tenant: Tenant) {
        sums.withLock { $0[tenant]?.ended += bytes }
    }

    private func ended(of tenant: Tenant) -> Int64 { sums.withLock { $0[tenant]?.ended ?? 0 } }

    private func remove(_ bytes: Int64, of tenant: Tenant, hasEnded: Bool) {
        sums.withLock { sums in
            guard var sum = sums[tenant] else { return }
            sum.count -= 1
            sum.arrived -= bytes
            if hasEnded { sum.ended -= bytes }
            sums[tenant] = sum.count > 0 ? sum : nil
        }
    }
}
