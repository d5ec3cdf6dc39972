/// Keys in the order of their ranks. An entry that was replaced by another stays until it comes first, and is
/// recognised by its ticket.
struct TurnHeap: Sendable {
    /// The rank of a key; the least comes first.
    struct Entry: Sendable {
        var rank: Int64
        /// Decides between equal ranks.
        var second: Int64
        /// The number under which the key was added last.
        var ticket: Int64
        var key: String

        func isBefore(_ other: Entry) -> Bool { (rank, second) < (other.rank, other.second) }
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }

    /// The entry that comes first.
    var first: Entry? { entries.first }

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var place = entries.count - 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard entries[place].isBefore(entries[parent]) else { return }
            entries.swapAt(place, parent)
            place = parent
        }
    }

    mutating func removeFirst() {
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
