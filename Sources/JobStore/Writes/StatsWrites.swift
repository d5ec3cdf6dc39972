package import JobKit

/// The statistics, and the ends that are not counted yet.
package protocol StatsRows: SweptRows {
    /// Takes up to `limit` ends that are to be counted in this transaction, in few `CountedPlaces`: none is taken
    /// twice. Those of some engines are only complete up to `time`. Takes none while another server counts.
    func take(until time: Timestamp, limit: Int) throws(Failure) -> (ends: [EndFacts], isMore: Bool)

    /// Those of these bins that exist.
    func bins(_ keys: [StatsKey]) throws(Failure) -> [StatsKey: StoredBin]

    /// Up to `limit` open bins whose steps are over.
    func over(at now: Timestamp, limit: Int) throws(Failure) -> [StatsKey: StoredBin]

    /// Stores bins in place of earlier ones.
    func put(_ bins: [StatsKey: StoredBin]) throws(Failure)
}

// DESIGN
// Ends are not counted in the transaction that ends a job: on PostgreSQL all servers would write the same few rows, and
// on SQLite each commit a page more. An engine knows which ends are not counted yet; see `StatsTable` of each. They are
// counted in the transaction that takes them, so that each is counted once, whatever crashes.

/// Counts up to `limit` (1…10,000) ends in the statistics.
package struct StatsRollUp: StoreWrite {
    package struct Reply: Sendable, Equatable {
        package var count: Int
        /// Whether more ends wait.
        package var isMore: Bool

        package init(count: Int, isMore: Bool) { (self.count, self.isMore) = (count, isMore) }
    }

    package var now: Timestamp
    package var limit: Int
    /// The time after which an end is nearly always stored.
    package static let lag = Duration.seconds(1)
    /// The number of open bins that become smaller at a time.
    private static let overMax = 100

    package init(now: Timestamp, limit: Int) {
        self.now = now
        self.limit = StoreRange.batch(limit)
    }

    package var rows: Int { CountedPlaces.binsMax }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let stats = transaction.stats
        let (ends, isMore) = try stats.take(until: now.advanced(by: .zero - Self.lag), limit: limit)
        if ends.isEmpty { return .success(Reply(count: 0, isMore: isMore)) }
        let news = StatsTally(ends).bins(at: now)
        var stored = try stats.bins(news.keys.sorted())
        for (key, new) in news {
            var bin = StatsBin()
            if let known = stored[key] { bin = StatsBin(decoding: known.bytes) }
            bin.add(new)
            stored[key] = StoredBin(bin, isOpen: stored[key]?.isOpen ?? !key.isOver(at: now))
        }
        try stats.put(stored)
        let over = try stats.over(at: now, limit: Self.overMax)
        try stats.put(over.mapValues { StoredBin(StatsBin(decoding: $0.bytes), isOpen: false) })
        return .success(Reply(count: ends.count, isMore: isMore))
    }
}
