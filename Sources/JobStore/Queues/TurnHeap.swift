/// Keys in the order of their ranks. An entry that was replaced by another stays until it comes first, and is
/// recognised by its ticket.
package struct TurnHeap: Sendable {
    /// The rank of a key; the least comes first.
    package struct Entry: Sendable {
        package var rank: Int64
        /// Decides between equal ranks.
        package var second: Int64
        /// The number under which the key was added last.
        package var ticket: Int64
        package var key: String

        package init(rank: Int64, second: Int64, ticket: Int64, key: String) {
            self.rank = rank
            self.second = second
            self.ticket = ticket
            self.key = key
        }

        func isBefore(_ other: Entry) -> Bool { (rank, second) < (other.rank, other.second) }
    }

    private var entries: [Entry] = []

    package init() {}

    package var count: Int { entries.count }

    /// The entry that comes first.
    package var first: Entry? { entries.first }

    package mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var place = entries.count - 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard entries[place].isBefore(entries[parent]) else { return }
            entries.swapAt(place, parent)
            place = parent
        }
    }

    package mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < entries.count {
                if entries[child].isBefore(entries[least]) { least = child }
            }
            if least == place { return }
            entries.swapAt(place, least)
            place = least
        }
    }
}
