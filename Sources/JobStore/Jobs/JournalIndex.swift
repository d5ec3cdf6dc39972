package import JobJournal
package import JobKit

/// Where in a job's journal something is said of each of its operations, so that what is said of a few can be read
/// without the rest. Made by a look at each entry's first bytes; brought up to date by what was added since.
package struct JournalIndex: Sendable {
    /// The entries of one operation.
    package struct Node: Sendable {
        /// The numbers of the entries, in order.
        package fileprivate(set) var entries: [Int64] = []
        /// Whether it ended, and nothing was heard of it since.
        package fileprivate(set) var isOver = false
        /// Whether there are attempts of it.
        package fileprivate(set) var hasAttempts = false
        /// The number of copies of its inner operation that are known.
        package var copies: Int { items ?? lastCopy }
        fileprivate var items: Int?
        fileprivate var lastCopy = 0
    }

    /// Up to which entry it goes.
    package private(set) var last: Int64 = 0
    /// Whether a person asked for another try.
    package private(set) var isRetried = false
    /// The entries that say which message an operation took.
    package private(set) var taken: [Int64] = []
    private var nodes: [OperationPlace: Node] = [:]

    /// An index of nothing.
    package init() {}

    /// The entries of an operation.
    package subscript(_ place: OperationPlace) -> Node { nodes[place] ?? Node() }

    /// The numbers of all entries of these operations, in order.
    package func entries(of places: Set<OperationPlace>) -> [Int64] {
        places.flatMap { nodes[$0]?.entries ?? [] }.sorted()
    }

    /// Adds the entries of one row.
    /// - Parameter last: the number of the last of them.
    /// - Throws: when one cannot be read.
    package mutating func add(_ row: [UInt8], upTo last: Int64) throws(StoredFormError) {
        let lines = row.split(separator: 0x0A)
        var number = last - Int64(lines.count)
        for line in lines {
            number += 1
            if number <= self.last { continue }
            let glance = try JournalGlance(line)
            if glance.isNote, let items = try JournalEntry(decoding: Array(line)).mappedCount {
                // The list itself may be long, and nothing but its length is shown.
                nodes[glance.place, default: Node()].items = items
            } else {
                add(glance, number)
            }
        }
        self.last = max(self.last, last)
    }

    private mutating func add(_ glance: JournalGlance, _ number: Int64) {
        nodes[glance.place, default: Node()].entries.append(number)
        nodes[glance.place]?.isOver = glance.isEnd
        if glance.isAttempt { nodes[glance.place]?.hasAttempts = true }
        if glance.isRetry { isRetried = true }
        if glance.isTaking { taken.append(number) }
        guard let copy = glance.copy else { return }
        let known = nodes[copy.around]?.lastCopy ?? 0
        if copy.number > known { nodes[copy.around, default: Node()].lastCopy = copy.number }
    }
}
