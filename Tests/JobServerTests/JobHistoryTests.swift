import JobJournal
import JobKit
import JobStore
import Testing

@testable import JobServer

/// A journal of this many entries.
private struct LongJournal: JournalReads {
    let count: Int64

    func journal(
        _ id: JobID, after: Int64, limit: Int, bytes: Int
    ) throws(JobStoreError) -> [NumberedEntry] {
        let last = min(count, after + Int64(limit))
        guard last > after else { return [] }
        let entry = JournalEntry(
            at: Timestamp(milliseconds: 0), path: [], event: .cancelRequested(by: "ada", reason: nil))
        return (after + 1...last).map { NumberedEntry(sequence: $0, entry: entry) }
    }

    func journal(_ id: JobID, at sequences: [Int64]) throws(JobStoreError) -> [NumberedEntry] { [] }

    func index(_ id: JobID, from known: JournalIndex) throws(JobStoreError) -> JournalIndex { known }
}

@Suite struct `The history of a job` {
    @Test func `is whole, or there is none`() throws {
        let id = JobID(high: 1, low: 2)
        let most = Int64(JobHistory.entriesMax)
        for count in [0, 4_999, 5_000, most] {
            #expect(try JobHistory.entries(of: id, from: LongJournal(count: count))?.count == Int(count))
        }
        for count in [most + 1, most + 5_000, 3 * most] {
            #expect(try JobHistory.entries(of: id, from: LongJournal(count: count)) == nil)
        }
        #expect(JobHistory.tooLong(id).kind == .historyTooLong)
        #expect(JobHistory.tooLong(id).detail.contains("/events"))
    }
}
