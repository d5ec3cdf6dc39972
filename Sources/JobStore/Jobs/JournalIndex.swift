package import JobJournal
package import JobKit

/// The positions of each operation's entries in a job's journal, so that the entries of a few operations can be read
/// without the rest. Built from the first bytes of each entry, and extended as the journal grows.
package struct JournalIndex: Sendable {
    /// The entries of one operation.
    package struct Node: Sendable {
        /// The numbers of the entries, in order.
        package fileprivate(set) var entries: [Int64] = []
        /// Whether the operation has ended, without later entries.
        package fileprivate(set) var isOver = false
        /// Whether the operation has attempts.
        package fileprivate(set) var hasAttempts = false
        /// The number of known copies of its inner operation.
        package var copies: Int { items ?? lastCopy }
        /// Whether the list of the elements that its copies are for is known. Without it, as after the removal of what
        /// is inside of a part, copies without entries are not.
        package var hasList: Bool { items != nil }
        fileprivate var items: Int?
        fileprivate var lastCopy = 0
    }

    /// The number of the last indexed entry.
    package private(set) var last: Int64 = 0
    /// Whether the job was retried.
    package private(set) var isRetried = false
    /// Whether entries of the job may be removed while it runs.
    package private(set) var mayShrink = false
    /// The entries that record which message an operation consumed.
    package private(set) var taken: [Int64] = []
    /// The entries that record messages to the job, other than members that are added: they may be large.
    package private(set) var messages: Set<Int64> = []
    private var nodes: [OperationPlace: Node] = [:]

    package init() {}

    /// The entries of an operation.
    package subscript(_ place: OperationPlace) -> Node { nodes[place] ?? Node() }

    /// The numbers of all entries of these operations, in order.
    package func entries(of places: Set<OperationPlace>) -> [Int64] {
        places.flatMap { nodes[$0]?.entries ?? [] }.sorted()
    }

    /// Adds the entries of one row.
    /// - Parameter last: the number of its last entry.
    /// - Throws: when an entry cannot be read.
    package mutating func add(_ row: [UInt8], upTo last: Int64) throws(StoredFormError) {
        let lines = row.split(separator: 0x0A)
        var number = last - Int64(lines.count)
        for line in lines {
            number += 1
            if number <= self.last { continue }
            let glance = try JournalGlance(line)
            if glance.isNote {
                let entry = try JournalEntry(decoding: Array(line))
                if let items = entry.mappedCount {
                    // Only the length of the list is shown, and the list itself may be long.
                    nodes[glance.place, default: Node()].items = items
                    continue
                }
                if case .noted(NoteName.rest, _) = entry.event { mayShrink = true }
            }
            add(glance, number)
        }
        self.last = max(self.last, last)
    }

    private mutating func add(_ glance: JournalGlance, _ number: Int64) {
        nodes[glance.place, default: Node()].entries.append(number)
        nodes[glance.place]?.isOver = glance.isEnd
        if glance.isAttempt { nodes[glance.place]?.hasAttempts = true }
        if glance.isRetry { isRetried = true }
        if glance.isTaking { taken.append(number) }
        if glance.isMessage { messages.insert(number) }
        guard let copy = glance.copy else { return }
        let known = nodes[copy.around]?.lastCopy ?? 0
        if copy.number > known { nodes[copy.around, default: Node()].lastCopy = copy.number }
    }
}
