internal import JobKit

/// Removes entries that no run reads any more from the journal of a running job. All others keep their numbers.
///
/// Refused with `.staleClaim` when the run is over.
package struct JournalRemoval: StoreWrite {
    package typealias Reply = Void

    package var claim: ClaimKey
    /// The numbers of the entries, ascending; never the last one of the journal.
    package var numbers: [ClosedRange<Int64>]

    package init(_ numbers: [ClosedRange<Int64>], by claim: ClaimKey) {
        self.claim = claim
        self.numbers = numbers
    }

    package var needs: WriteNeeds { WriteNeeds(ids: [claim.id]) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard let job = try transaction.job(claim.id), job.isHeld(fence: claim.fence) else {
            return .failure(.staleClaim(claim))
        }
        try transaction.removeEntries(numbers, of: job)
        return .success(())
    }
}

/// A row of a journal: the entries of one write, one a line, and the number of the last.
package struct JournalRow {
    package var last: Int64
    package var bytes: [UInt8]

    package init(last: Int64, bytes: [UInt8]) {
        self.last = last
        self.bytes = bytes
    }

    /// The rows that remain without the entries in some ascending ranges, each with entries that follow one another;
    /// nil when all remain.
    package func without(_ numbers: [ClosedRange<Int64>]) -> [JournalRow]? {
        let lines = bytes.split(separator: 0x0A)
        let first = last - Int64(lines.count) + 1
        guard numbers.contains(where: { $0.overlaps(first...last) }) else { return nil }
        var rows: [JournalRow] = []
        var place = 0
        for (number, line) in zip(first..., lines) {
            while place < numbers.count, numbers[place].upperBound < number { place += 1 }
            if place < numbers.count, numbers[place].contains(number) { continue }
            if let before = rows.last, before.last == number - 1 {
                rows[rows.count - 1].bytes.append(0x0A)
                rows[rows.count - 1].bytes += line
                rows[rows.count - 1].last = number
            } else {
                rows.append(JournalRow(last: number, bytes: Array(line)))
            }
        }
        return rows
    }
}
