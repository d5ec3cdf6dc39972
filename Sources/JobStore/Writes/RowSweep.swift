package import JobKit

/// Rows that are removed when they are old.
package protocol SweptRows {
    associatedtype Failure: Error

    /// Removes up to `limit` rows that are from before `time`, and returns their number.
    func remove(before time: Timestamp, limit: Int) throws(Failure) -> Int
}

/// Removes rows of one kind that are from before a time, at most `limit` (1…10,000).
package struct RowSweep: StoreWrite {
    /// The number of removed rows.
    package typealias Reply = Int

    /// The rows, and the time that counts.
    package enum Kind: Sendable {
        /// The records of changes by people, the oldest first.
        case audits
        /// Bulk actions that are over, since then, with their results.
        case bulks
        /// Statistics that were kept as long as their steps are, before the time.
        case stats
        /// Occurrences, since they were decided.
        case occurrences
        /// Uploads that no job uses, since they expired.
        case uploads
        /// Deliveries to hooks, since they came.
        case deliveries
    }

    package var kind: Kind
    package var before: Timestamp
    package var limit: Int

    package init(_ kind: Kind, before: Timestamp, limit: Int) {
        self.kind = kind
        self.before = before
        self.limit = StoreRange.batch(limit)
    }

    package var needs: WriteNeeds { WriteNeeds(parts: kind == .bulks ? [.bulks] : []) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let count =
            switch kind {
            case .audits: try transaction.audits.remove(before: before, limit: limit)
            case .bulks: try transaction.bulks.remove(before: before, limit: limit)
            case .occurrences: try transaction.schedules.removeOccurrences(before: before, limit: limit)
            case .stats: try transaction.stats.remove(before: before, limit: limit)
            case .uploads: try transaction.uploads.remove(before: before, limit: limit)
            case .deliveries: try transaction.deliveries.remove(before: before, limit: limit)
            }
        if count > 0 { transaction.noteErasure() }
        return .success(count)
    }
}
